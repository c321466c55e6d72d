import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey/index.ts";

/** One radio button: its rating and its label, if any. */
export interface RatingOption {
  rating: number;
  word: string | undefined;
}

/**
 * Lowest and highest rating, and the highest one with the lowest label: the protocol's table without its labels, which
 * would cost 300 bytes. A test keeps the two equal.
 */
export const ratingRanges = { nps: [0, 10, 6], csat: [1, 5, 2], ces: [1, 7, 3], pmf: [0, 2, 0] } as const;

/** A survey's radio buttons in display order. Its own end labels override those of the language. */
export function ratingOptions(
  { type, endLabels }: Pick<SurveyDefinition, "type" | "endLabels">,
  texts: SurveyTexts,
): RatingOption[] {
  const [min, max] = ratingRanges[type];
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
