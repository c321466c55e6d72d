import type { SurveyTexts, LoadWords } from "../core/public/index.ts";
import { texts as english } from "./en.ts";
import { languageOf } from "./language-of.ts";
import { wordsOf } from "./languages.ts";

/** Texts, and the language that they turned out to be in. */
export interface LoadedTexts {
  texts: SurveyTexts;
  /** BCP 47 tag without region. */
  language: string;
}

export const inEnglish: LoadedTexts = { texts: english, language: "en" };

/** Loads the texts for a BCP 47 tag; English if the language is missing. Returns no promise if there is nothing to load. */
export function loadTexts(tag: string, load?: LoadWords): LoadedTexts | Promise<LoadedTexts> {
  const language = languageOf(tag);
  const loaded = wordsOf(language, load)?.then(({ texts, thumbs: { down, up } }) => ({
    texts: { ...texts, thumbs: [down, up] as const },
    language,
  }));
  return loaded ?? inEnglish;
}
