import { ratingLabel, ratingScales, type SurveyType } from "@afterword/protocol";
import { type ScoreName } from "./rating-values.ts";

/** A label as people read it: `Promoters`, `Very disappointed`. */
export function labelText(type: SurveyType, label: string): string {
  const words = label.charAt(0).toUpperCase() + label.slice(1).replaceAll("_", " ");
  return type === "nps" ? `${words}s` : words;
}

/** A rating with its scale: `2 of 7`, or the words of PMF. */
export function ratingText(type: SurveyType, rating: number): string {
  return type === "pmf"
    ? labelText(type, ratingLabel(type, rating) ?? "")
    : `${rating} of ${ratingScales[type].max}`;
}

/** The thirds of a scale as the page names and colours them. */
export const thirds = ["low", "middle", "high"] as const;

/** 0 for the lowest third of the scale, 2 for the highest. */
export const thirdOf = (type: SurveyType, rating: number): number =>
  ratingScales[type].labels.findLastIndex(([from]) => rating >= from);

/** What a score means, after its number. */
export const meanings: Readonly<Record<ScoreName, string>> = {
  NPS: "NPS",
  CSAT: "satisfied",
  CES: "of 7 for ease",
  PMF: "very disappointed",
};
