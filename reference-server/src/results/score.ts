import { ratingScales, type SurveyType } from "@afterword/protocol";
import { mean, share, shareDifference, type Estimate } from "../statistics/estimate.ts";
import { sampleOf, type PersonSums, type Sample } from "../statistics/sample.ts";
import { ratingValues, scaleOf, scoreNames, type ScoreName } from "./rating-values.ts";

/** The answers of a group. */
export interface Answers {
  /** How many gave each rating; the index is the rating. */
  counts: readonly number[];
  people: PersonSums;
}

/** A survey's score with its 95 % confidence interval. */
export interface Score {
  name: ScoreName;
  /** NPS: -100 to 100. CSAT and PMF: a share from 0 to 1. CES: a mean from 1 to 7. Null without answers. */
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
  people: number;
  /** How many answers of as many people would have such an interval. */
  effectiveN: number;
}

/** Fewer people than this say too little: the number is shown with that warning beside it. */
export const fewestToTell = 30;

export const isEmpty = ({ people }: Answers): boolean => people.people === 0;

export function scoreSample(type: SurveyType, { counts, people }: Answers): Sample {
  return sampleOf(
    counts.map((count, rating) => [ratingValues[type][rating]!, count]),
    people,
  );
}

/** On the scale of the values: NPS runs from -1 to 1. */
export function estimate(type: SurveyType, { counts }: Answers, sample: Sample): Estimate {
  const countOf = (value: number) =>
    counts.reduce((sum, count, rating) => (ratingValues[type][rating] === value ? sum + count : sum), 0);
  if (type === "ces") return mean(sample, [ratingScales.ces.min, ratingScales.ces.max]);
  return type === "nps" ? shareDifference(countOf(1), countOf(-1), sample) : share(countOf(1), sample);
}

/** A survey's score: NPS, the share of 4 and 5 (CSAT), the share of "very disappointed" (PMF) or the mean (CES). */
export function score(type: SurveyType, answers: Answers): Score {
  const name = scoreNames[type];
  if (isEmpty(answers)) return { name, value: null, low: null, high: null, n: 0, people: 0, effectiveN: 0 };
  const sample = scoreSample(type, answers);
  const { value, low, high, effectiveAnswers } = estimate(type, answers, sample);
  const scale = scaleOf(type);
  const counts = { n: sample.answers, people: sample.people, effectiveN: effectiveAnswers };
  return { name, value: value * scale, low: low * scale, high: high * scale, ...counts };
}
