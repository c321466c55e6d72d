import type { SurveyDefinition } from "@afterword/protocol";
import { ratingBounds } from "@afterword/protocol/rating-scale";
import type { SurveyTexts } from "../core/survey/index.ts";

/** One radio button: its rating and its label, if any. */
export interface RatingOption {
  rating: number;
  word: string | undefined;
}

/** A survey's radio buttons in display order. Its own end labels override those of the language. */
export function ratingOptions(
  { type, endLabels }: Pick<SurveyDefinition, "type" | "endLabels">,
  texts: SurveyTexts,
): RatingOption[] {
  const [min, max] = ratingBounds[type];
  const words: readonly string[] = texts[type];
  // Two words label the ends; more label every rating.
  const step = words.length > 2 ? 1 : max - min;
  const options: RatingOption[] = [];
  for (let rating: number = min; rating <= max; rating++) {
    const own = rating === min ? endLabels?.low : rating === max ? endLabels?.high : undefined;
    options.push({ rating, word: own ?? words[(rating - min) / step] });
  }
  return type === "pmf" ? options.reverse() : options;
}
