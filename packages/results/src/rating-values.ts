import { type SurveyType } from "@afterword/protocol";

export type ScoreName = "NPS" | "CSAT" | "CES" | "PMF";

export const scoreNames: Readonly<Record<SurveyType, ScoreName>> = {
  nps: "NPS",
  csat: "CSAT",
  ces: "CES",
  pmf: "PMF",
};

/** The ends of what a score can be. */
export const scoreRanges: Readonly<Record<ScoreName, readonly [number, number]>> = {
  NPS: [-100, 100],
  CSAT: [0, 1],
  CES: [1, 7],
  PMF: [0, 1],
};

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
