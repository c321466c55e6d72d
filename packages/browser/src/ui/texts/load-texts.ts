import type { SurveyTexts } from "../../core/survey-texts.ts";
import type { LoadWords } from "../../core/survey-view.ts";
import { texts as english } from "./en.ts";
import { wordsOf } from "./languages.ts";

/** The words of one language, and which one it turned out to be. */
export interface LoadedTexts {
  texts: SurveyTexts;
  /** BCP 47 tag without region. */
  language: string;
}

export const inEnglish: LoadedTexts = { texts: english, language: "en" };

/**
 * The words for a BCP 47 tag, in English where the language is missing or fails to load. English needs no wait:
 * the answer is then no promise. Regions and scripts share the words of their language.
 */
export function loadTexts(tag: string, load?: LoadWords): LoadedTexts | Promise<LoadedTexts> {
  // Not only the tags of BCP 47: `de_DE` is what many programs call a locale.
  const language = tag.toLowerCase().split(/[-_]/)[0]!;
  return (
    wordsOf(language, load)?.then(
      ({ texts }) => ({ texts, language }),
      () => inEnglish,
    ) ?? inEnglish
  );
}
