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
import { type RunCountTally } from "./store/results-reader.ts";
import { scoredSample, valueCounts, type Scored } from "./score.ts";

/** A class of runs: of one version of the agent, and of one stratum of the survey's sampling. */
interface RunClass {
  surveyId: string;
  version: string | null;
  stratum: string | null;
}

/** Measured answers to minted tokens, whose runs are known. */
export interface ClassTally extends RunClass {
  /** How many gave each rating; the index is the rating. */
  counts: number[];
}

/** What such an answer of a class adds to the sum of its person: factor * (value - mean). */
export interface ClassResidual extends Omit<RunClass, "version">, Linearisation {
  /** Absent: of all versions that no other one names. */
  version?: string | null;
}

/** Runs of one version and stratum, and the answers to them. */
export interface AnsweredClass extends ClassTally {
  runs: number;
  answers: number;
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const runsOf = (classes: readonly AnsweredClass[]): number => total(classes.map(({ runs }) => runs));
export const answersOf = (classes: readonly AnsweredClass[]): number =>
  total(classes.map(({ answers }) => answers));

/** The classes of a survey that have runs or answers. */
export function answeredClasses(
  counts: readonly RunCountTally[],
  tallies: readonly ClassTally[],
): AnsweredClass[] {
  const classes = new Map<string, AnsweredClass>();
  const keyOf = ({ version, stratum }: Pick<ClassTally, "version" | "stratum">) =>
    JSON.stringify([version, stratum]);
  for (const tally of tallies) classes.set(keyOf(tally), { ...tally, runs: 0, answers: total(tally.counts) });
  for (const { surveyId, version, stratum, kind, count } of counts) {
    if (kind !== "run") continue;
    const key = keyOf({ version, stratum });
    const known = classes.get(key) ?? { surveyId, version, stratum, counts: [], runs: 0, answers: 0 };
    classes.set(key, { ...known, runs: known.runs + count });
  }
  return [...classes.values()];
}

/** What the answers of a group stand for. */
export interface Weights {
  /** Values with the sum of their weights, which are 1 on average. */
  counts: ValueCounts;
  factors: [factor: number, answers: number][];
  residuals: ClassResidual[];
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

/** Classes that share a weight, each with its own residuals. */
function weighedTogether(type: SurveyType, together: readonly AnsweredClass[], allRuns: number) {
  const [runs, answers] = [runsAnswered(together), answersOf(together)];
  const counts = together.flatMap((one) => [...valueCounts(type, one.counts)]);
  const { surveyId, stratum, version } = together[0]!;
  const residual = linearised({ runs, answers }, allRuns, counts);
  const names = together.length === 1 ? { version } : {};
  return { answers, counts, residual: { surveyId, stratum, ...names, ...residual } };
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
  const [answered, emptyStrata] = [
    strata.filter(({ answers }) => answers > 0),
    strata.filter(({ answers }) => answers === 0),
  ];
  const parts = answered.flatMap(({ own, merged }) => [
    ...own.map((one) => [one]),
    ...(answersOf(merged) > 0 ? [merged] : []),
  ]);
  const runs = total(parts.map(runsOf));
  const n = total(parts.map(answersOf));
  const allRuns = total(parts.map(runsAnswered));
  if (allRuns - runs > mostExcess * n) return "more answers than runs";
  const weighed = parts.map((part) => weighedTogether(type, part, allRuns));
  const factors = weighed.map(({ residual }) => residual.factor);
  return {
    counts: weighed.flatMap(({ counts, residual: { factor } }) =>
      counts.map(([value, count]) => [value, count * factor * n] as const),
    ),
    factors: weighed.map(({ answers, residual }) => [residual.factor, answers]),
    residuals: weighed.map(({ residual }) => residual),
    runs,
    spread: Math.max(...factors) / Math.min(...factors),
    merged: total(parts.map(({ length }) => (length > 1 ? length : 0))),
    emptyStrata,
    thinStrata: answered.filter(({ answers }) => answers < fewestOfClass),
  };
}

/** @param sums of the answers that the weights are of */
export function weightedScore(type: SurveyType, { counts, factors }: Weights, sums: LinearisedSums): Scored {
  return scoredSample(type, counts, poststratifiedSample(counts, factors, sums));
}

/** What an answer with a run of this version and stratum adds to the sum of its person. */
export function residualIn({ residuals }: Weights, version: string | null, stratum: string | null) {
  const ofStratum = residuals.filter((one) => one.stratum === stratum);
  return (
    ofStratum.find((one) => one.version === version) ?? ofStratum.find((one) => one.version === undefined)
  );
}
