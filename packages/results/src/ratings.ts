import { isThumbs, ratingLabel, ratingScales, type SurveyType } from "@afterword/protocol";
import { type RatedSurvey } from "@afterword/protocol/rating-scale";

/** A survey of thumbs has the share of up. */
export type ScoreName = Uppercase<SurveyType> | "up";

export const scoreName = (survey: RatedSurvey): ScoreName =>
  isThumbs(survey) ? "up" : (survey.type.toUpperCase() as Uppercase<SurveyType>);

/** The ends of what a score can be, its title, and what it means, after its number. */
export const scores = {
  NPS: { range: [-100, 100], title: "NPS", meaning: "NPS" },
  CSAT: { range: [0, 1], title: "CSAT", meaning: "satisfied" },
  CES: { range: [1, 7], title: "CES", meaning: "of 7 for ease" },
  PMF: { range: [0, 1], title: "PMF", meaning: "very disappointed" },
  up: { range: [0, 1], title: "Share of up", meaning: "up" },
} as const satisfies Record<ScoreName, object>;

const valuesOf = (valueOf: (rating: number) => number): readonly number[] =>
  Array.from({ length: 11 }, (_, rating) => valueOf(rating));

/** What each rating from 0 to 10 contributes: the score is the mean of these values. */
export const ratingValues: Readonly<Record<SurveyType, readonly number[]>> = {
  nps: valuesOf((rating) => (rating >= 9 ? 1 : rating <= 6 ? -1 : 0)),
  csat: valuesOf((rating) => (rating >= 4 ? 1 : 0)),
  pmf: valuesOf((rating) => (rating === 2 ? 1 : 0)),
  ces: valuesOf((rating) => rating),
};

/** NPS ranges from -100 to 100. */
export const scaleOf = (type: SurveyType): number => (type === "nps" ? 100 : 1);

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
