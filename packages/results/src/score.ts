import { ratingScales, type SurveyType } from "@afterword/protocol";
import { type RatedSurvey } from "@afterword/protocol/rating-scale";
import {
  differenceOfMeans,
  differenceOfShareDifferences,
  differenceOfShares,
  type Difference,
  type Overlap,
} from "./statistics/difference.ts";
import { mean, share, shareDifference, type Estimate } from "./statistics/estimate.ts";
import { sampleOf, type Sample, type ValueCounts } from "./statistics/sample.ts";
import { type Sums } from "./tally.ts";
import { ratingValues, scaleOf, scoreName, type ScoreName } from "./ratings.ts";

/** A survey's score with its 95 % confidence interval. */
export interface Score {
  name: ScoreName;
  /** NPS: -100 to 100. CSAT, up and PMF: a share from 0 to 1. CES: a mean from 1 to 7. Null without answers. */
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
  people: number;
  /** Whether answers weigh as many runs as they stand for. Otherwise each counts as one. */
  isWeighted: boolean;
  /** How many answers of as many people would have such an interval. */
  effectiveN: number;
}

/** Fewer people than this say too little: the number is shown with that warning beside it. */
export const fewestForAScore = 30;

/** @param counts by rating; the index is the rating */
export const valueCounts = (type: SurveyType, counts: readonly number[]): ValueCounts =>
  counts.map((count, rating) => [ratingValues[type][rating]!, count]);

/** A score as comparing two of them needs it, on the scale of the values: NPS runs from -1 to 1. */
export interface Scored {
  sample: Sample;
  estimate: Estimate;
}

/** @param counts values, each with the number of its answers or the sum of their weights */
export function scoredSample(type: SurveyType, counts: ValueCounts, sample: Sample): Scored {
  const countOf = (value: number) =>
    counts.reduce((sum, [one, count]) => (one === value ? sum + count : sum), 0);
  if (type === "ces") return { sample, estimate: mean(sample, [ratingScales.ces.min, ratingScales.ces.max]) };
  const estimate =
    type === "nps" ? shareDifference(countOf(1), countOf(-1), sample) : share(countOf(1), sample);
  return { sample, estimate };
}

/** Each answer counts as one. @returns nothing without answers */
export function scored(
  type: SurveyType,
  { counts, sums }: Pick<Sums, "counts" | "sums">,
): Scored | undefined {
  if (sums.people === 0) return undefined;
  const ofValues = valueCounts(type, counts);
  return scoredSample(type, ofValues, sampleOf(ofValues, sums));
}

/** A survey's score: NPS, the share of 4 and 5 (CSAT) or up, of "very disappointed" (PMF), or the mean (CES). */
export function score(survey: RatedSurvey, of: Scored | undefined, isWeighted = false): Score {
  const name = scoreName(survey);
  const none = { value: null, low: null, high: null, n: 0, people: 0, effectiveN: 0 };
  if (!of) return { name, ...none, isWeighted };
  const { sample, estimate } = of;
  const scale = scaleOf(survey.type);
  const [value, low, high] = [estimate.value * scale, estimate.low * scale, estimate.high * scale];
  const counts = { n: sample.answers, people: sample.people, effectiveN: estimate.effectiveAnswers };
  return { name, value, low, high, ...counts, isWeighted };
}

/**
 * How a score differs between two groups of answers.
 * @param overlap the people who answered in both
 * @returns `undefined` where either side has too few people to compare: none, or a single one for a mean
 */
export function difference(
  type: SurveyType,
  from: Scored | undefined,
  to: Scored | undefined,
  overlap: Overlap,
): Difference | undefined {
  if (!from || !to) return undefined;
  const [before, after] = [from.estimate, to.estimate];
  if (type === "ces")
    return before.people < 2 || after.people < 2 ? undefined : differenceOfMeans(before, after, overlap);
  if (type !== "nps") return differenceOfShares(before, after, overlap);
  const { value, low, high, probability } = differenceOfShareDifferences(before, after, overlap);
  const scale = scaleOf(type);
  return { value: value * scale, low: low * scale, high: high * scale, probability };
}
