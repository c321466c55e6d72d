import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey-texts.ts";
import type { SurveyAppearance } from "../core/survey-view.ts";

/** One radio button: its rating, what is seen on it, and the words that name it or stand below it. */
export interface RatingOption {
  rating: number;
  /** The accessible name. */
  name: string;
  /** Says more than the name where the name is a bare number. */
  description?: string;
}

/**
 * Lowest and highest rating, and where the lowest label ends: decision D68 without its words, which would cost a
 * browser 300 bytes. A test holds this equal to the protocol's table.
 */
export const ratingRanges = {
  nps: [0, 10, 6],
  csat: [1, 5, 2],
  ces: [1, 7, 3],
  pmf: [0, 2, 0],
} as const;

/** The words at both ends of the scale: the survey's own, else those of the language. */
export function endLabels({ type, endLabels }: SurveyDefinition, texts: SurveyTexts): [string, string] {
  const words: readonly string[] = texts[type];
  return [endLabels?.low ?? words[0]!, endLabels?.high ?? words.at(-1)!];
}

/** The radio buttons of a survey in the order in which they stand. */
export function ratingOptions(survey: SurveyDefinition, texts: SurveyTexts): RatingOption[] {
  const { type } = survey;
  const [min, max] = ratingRanges[type];
  const ends = endLabels(survey, texts);
  const options: RatingOption[] = [];
  for (let rating: number = min; rating <= max; rating++) {
    const end = rating === min ? ends[0] : rating === max ? ends[1] : undefined;
    const word = end ?? texts[type][rating - min];
    if (type === "pmf") options.unshift({ rating, name: word! });
    else if (type === "csat") options.push({ rating, name: `${rating} – ${word}` });
    else options.push({ rating, name: `${rating}`, description: end });
  }
  return options;
}

/** Whether "may we contact you" is offered at this rating: by default with the follow-up question of a low one (decision D118). */
export function offersContact(
  { type, followUpQuestion }: SurveyDefinition,
  when: SurveyAppearance["askFollowUp"],
  rating: number,
): boolean {
  return when === "always" || (when !== "never" && !!followUpQuestion && rating <= ratingRanges[type][2]);
}
