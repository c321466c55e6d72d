import type { SurveyDefinition } from "@afterword/protocol";
import { isThumbs, ratingsOf } from "@afterword/protocol/rating-scale";
import type { SurveyTexts } from "../core/survey/index.ts";

/** One radio button: its rating and its label, if any. */
export interface RatingOption {
  rating: number;
  word: string | undefined;
}

/** A survey's radio buttons in display order. Its own end labels override those of the language. */
export function ratingOptions(
  survey: Pick<SurveyDefinition, "type" | "thumbs" | "endLabels">,
  texts: SurveyTexts,
): RatingOption[] {
  const ratings = ratingsOf(survey);
  const last = ratings.length - 1;
  const words: readonly string[] = texts[isThumbs(survey) ? "thumbs" : survey.type];
  // Two words label the ends; more label every rating.
  const step = words.length > 2 ? 1 : last;
  const { low, high } = survey.endLabels ?? {};
  const options = ratings.map((rating, at) => ({
    rating,
    word: (at === 0 ? low : at === last ? high : undefined) ?? words[at / step],
  }));
  return survey.type === "pmf" ? options.reverse() : options;
}
