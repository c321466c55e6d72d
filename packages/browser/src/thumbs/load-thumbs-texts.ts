import type { SurveyTexts, ThumbsTexts } from "../core/survey-texts.ts";
import type { LoadWords } from "../core/survey-view.ts";
import { thumbs as english } from "../ui/texts/en.ts";
import { wordsOf } from "../ui/texts/languages.ts";

/** The words of the thumbs, with those that they share with the survey. */
export type AllThumbsTexts = ThumbsTexts & Pick<SurveyTexts, "send" | "stored" | "queued" | "refused">;

/** The words for a BCP 47 tag; English where the language is missing or its file does not arrive. */
export async function loadThumbsTexts(language: string, load?: LoadWords): Promise<[AllThumbsTexts, string]> {
  const known = await wordsOf(language, load)?.catch(() => {});
  // No error for English: it would take longer than to draw the control.
  return known ? [{ ...known.texts, ...known.thumbs }, language] : [english, "en"];
}
