import { type SurveyType } from "@afterword/protocol";
import {
  fewestOfClass,
  linearised,
  mergeThin,
  poststratifiedSample,
  type Linearisation,
  type LinearisedSums,
} from "./statistics/poststratification.ts";
import { type ValueCounts } from "./statistics/sample.ts";
import { scoredSample, valueCounts, type Scored } from "./score.ts";

/** Runs of one version of the agent and one stratum of the survey's sampling, and the answers to them. */
export interface AnsweredClass {
  version: string | null;
  stratum: string | null;
  runs: number;
  /** Measured answers to minted tokens, whose runs are known. */
  answers: number;
  /** How many gave each rating; the index is the rating. */
  counts: number[];
}

/** The weight of each answer of a class, as a factor of what it adds to the sum of its person. */
interface ClassWeight extends Linearisation {
  stratum: string | null;
  /** Absent: all versions that no other class of the stratum names. */
  version?: string | null;
  answers: number;
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const runsOf = (classes: readonly AnsweredClass[]): number => total(classes.map(({ runs }) => runs));
export const answersOf = (classes: readonly AnsweredClass[]): number =>
  total(classes.map(({ answers }) => answers));

/** What the answers of a group stand for. */
export interface Weights {
  /** Values with the sum of their weights, which are 1 on average. */
  counts: ValueCounts;
  classes: ClassWeight[];
  answers: number;
  /** The runs that the answers stand for. */
  runs: number;
  /** The largest weight of an answer divided by the least. */
  spread: number;
  /** How many classes share their weight with others of their stratum, since they have too few answers. */
  merged: number;
  /** Names of strata, null for runs of none: with runs and without answers, and with too few. */
  emptyStrata: { stratum: string | null; runs: number }[];
  thinStrata: { stratum: string | null; answers: number }[];
}

/** Why answers cannot be weighted. */
export type Unweighted = "no runs" | "more answers than runs" | "no answers";

/**
 * Of all answers, so many may come on top of the runs of their class: they are to runs from before the period. More than
 * that, and counting began later than the answers.
 */
const mostExcess = 0.1;

/** The runs of classes that share a weight; where they have more answers, each of those counts as one. */
const runsAnswered = (together: readonly AnsweredClass[]): number =>
  Math.max(runsOf(together), answersOf(together));

/** Classes that share a weight: each value with its answers, and what they weigh. */
function weighedTogether(type: SurveyType, together: readonly AnsweredClass[], allRuns: number) {
  const [runs, answers] = [runsAnswered(together), answersOf(together)];
  const counts = together.flatMap((one) => [...valueCounts(type, one.counts)]);
  const { stratum, version } = together[0]!;
  const names = together.length === 1 ? { stratum, version } : { stratum };
  const weight: ClassWeight = { ...names, answers, ...linearised({ runs, answers }, allRuns, counts) };
  return { counts, weight };
}

/** Weighs each answer by runs / answers of its class, thin classes of a stratum together. */
export function weightsOf(type: SurveyType, classes: readonly AnsweredClass[]): Weights | Unweighted {
  if (runsOf(classes) === 0) return "no runs";
  if (answersOf(classes) === 0) return "no answers";
  const strata = [...Map.groupBy(classes, ({ stratum }) => stratum)].map(([stratum, ofStratum]) => ({
    stratum,
    runs: runsOf(ofStratum),
    answers: answersOf(ofStratum),
    ...mergeThin(ofStratum),
  }));
  const answered = strata.filter(({ answers }) => answers > 0);
  const parts = answered.flatMap(({ own, merged }) => [
    ...own.map((one) => [one]),
    ...(answersOf(merged) > 0 ? [merged] : []),
  ]);
  const runs = total(parts.map(runsOf));
  const n = total(parts.map(answersOf));
  const allRuns = total(parts.map(runsAnswered));
  if (allRuns - runs > mostExcess * n) return "more answers than runs";
  const weighed = parts.map((part) => weighedTogether(type, part, allRuns));
  const factors = weighed.map(({ weight }) => weight.factor);
  return {
    counts: weighed.flatMap(({ counts, weight: { factor } }) =>
      counts.map(([value, count]) => [value, count * factor * n] as const),
    ),
    classes: weighed.map(({ weight }) => weight),
    answers: n,
    runs,
    spread: Math.max(...factors) / Math.min(...factors),
    merged: total(parts.map(({ length }) => (length > 1 ? length : 0))),
    emptyStrata: strata.filter(({ answers }) => answers === 0),
    thinStrata: answered.filter(({ answers }) => answers < fewestOfClass),
  };
}

/** @param sums of the answers that the weights are of */
export function weightedScore(type: SurveyType, { counts, classes }: Weights, sums: LinearisedSums): Scored {
  const factors = classes.map(({ factor, answers }) => [factor, answers] as const);
  return scoredSample(type, counts, poststratifiedSample(counts, factors, sums));
}
