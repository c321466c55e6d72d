import type { SurveyTexts, ThumbsTexts, LoadWords } from "../core/survey/index.ts";
import { thumbs as english } from "../texts/en.ts";
import { wordsOf } from "../texts/languages.ts";

/** The texts of the thumbs, with those that they share with the survey. */
export type AllThumbsTexts = ThumbsTexts &
  Pick<SurveyTexts, "send" | "stored" | "queued" | "already" | "refused">;

/** Loads the texts for a BCP 47 tag; English if the language is missing or its file fails to load. */
export async function loadThumbsTexts(language: string, load?: LoadWords): Promise<[AllThumbsTexts, string]> {
  const known = await wordsOf(language, load)?.catch(() => {});
  // Does not report the English fallback: that would take longer than drawing the control.
  return known ? [{ ...known.texts, ...known.thumbs }, language] : [english, "en"];
}
