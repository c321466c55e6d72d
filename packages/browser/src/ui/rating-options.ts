import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey-texts.ts";

/** One radio button: its rating, and the word for it where there is one. */
export interface RatingOption {
  rating: number;
  word: string | undefined;
}

/**
 * Lowest and highest rating, and where the lowest label ends: decision D68 without its words, which would cost a
 * browser 300 bytes. A test holds this equal to the protocol's table.
 */
export const ratingRanges = { nps: [0, 10, 6], csat: [1, 5, 2], ces: [1, 7, 3], pmf: [0, 2, 0] } as const;

/** The radio buttons of a survey in the order in which they stand. Its own end labels win over those of the language. */
export function ratingOptions(
  { type, endLabels }: Pick<SurveyDefinition, "type" | "endLabels">,
  texts: SurveyTexts,
): RatingOption[] {
  const [min, max] = ratingRanges[type];
  const words: readonly string[] = texts[type];
  // Two words are those of the ends; more are one for each rating.
  const step = words.length > 2 ? 1 : max - min;
  const options: RatingOption[] = [];
  for (let rating: number = min; rating <= max; rating++) {
    const own = rating === min ? endLabels?.low : rating === max ? endLabels?.high : undefined;
    options.push({ rating, word: own ?? words[(rating - min) / step] });
  }
  return type === "pmf" ? options.reverse() : options;
}
