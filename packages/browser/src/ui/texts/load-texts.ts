import type { SurveyTexts } from "../../core/survey-texts.ts";
import type { LoadWords } from "../../core/survey-view.ts";
import { texts as english } from "./en.ts";
import { wordsOf } from "./languages.ts";

/** Texts, and the language that they turned out to be in. */
export interface LoadedTexts {
  texts: SurveyTexts;
  /** BCP 47 tag without region. */
  language: string;
}

export const inEnglish: LoadedTexts = { texts: english, language: "en" };

/**
 * Loads the texts for a BCP 47 tag; English if the language is missing or fails to load. Returns no promise if
 * there is nothing to load. Regions and scripts share the texts of their language.
 */
export function loadTexts(tag: string, load?: LoadWords): LoadedTexts | Promise<LoadedTexts> {
  // Besides BCP 47 tags, accepts locales such as `de_DE`.
  const language = tag.toLowerCase().split(/[-_]/)[0]!;
  return (
    wordsOf(language, load)?.then(
      ({ texts }) => ({ texts, language }),
      () => inEnglish,
    ) ?? inEnglish
  );
}
