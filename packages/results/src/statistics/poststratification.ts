import { moments, perDraw, type Sample, type ValueCounts } from "./sample.ts";

/** A class of runs, and those of them that were answered. */
export interface ClassCounts {
  runs: number;
  answers: number;
}

/** Fewer answers than this are too few to stand for the runs of a class. */
export const fewestOfClass = 10;
/** So many classes of a stratum keep their own weight: those with the most answers. */
const mostClasses = 50;

/**
 * Which classes of a stratum keep a weight of their own; the others are merged into one, which takes in further classes, the
 * smallest first, while it has too few answers itself. Merged are classes that have too few answers, or more answers than
 * runs, as when people answer days later. Collapsing small cells is customary (Kalton and Flores-Cervantes 2003, Journal
 * of Official Statistics 19, 81-97).
 */
export function mergeThin<Class extends ClassCounts>(
  classes: readonly Class[],
): { own: Class[]; merged: Class[] } {
  const sorted = classes.toSorted((one, other) => other.answers - one.answers);
  const isOwn = ({ runs, answers }: Class, index: number) =>
    answers >= fewestOfClass && answers <= runs && index < mostClasses;
  const own = sorted.filter(isOwn);
  const merged = sorted.filter((one, index) => !isOwn(one, index));
  const total = (kind: keyof ClassCounts) => merged.reduce((sum, one) => sum + one[kind], 0);
  while (
    merged.length > 0 &&
    own.length > 0 &&
    (total("answers") < fewestOfClass || total("answers") > total("runs"))
  )
    merged.push(own.pop()!);
  return { own, merged };
}

/** What each answer of a class adds to a person's sum: factor * (value - mean). */
export interface Linearisation {
  /** The weight of an answer as a share of all weights: runs of the class / (all runs * answers of the class). */
  factor: number;
  /** The mean of the class. */
  mean: number;
}

export function linearised(
  { runs, answers }: ClassCounts,
  allRuns: number,
  counts: ValueCounts,
): Linearisation {
  const { mean } = moments(counts, answers);
  return { factor: runs / (allRuns * answers), mean };
}

/** Sums over the people of a group. */
export interface LinearisedSums {
  people: number;
  /** The squares of each person's sum, added up. */
  squares: number;
}

/** A variance below this share of that of independent answers is rounding. */
const roundingError = 1e-12;

/**
 * A mean of which the sizes of all classes are known, so that each answer stands for as many runs as others of its class: the
 * poststratified mean of Holt and Smith (1979, Journal of the Royal Statistical Society A 142, 33-46). What was answered is
 * taken for a sample of its class, as in weighting for nonresponse (Little 1986, International Statistical Review 54,
 * 139-157). Variance by Taylor linearisation: residuals from the mean of the class, with people as primary sampling units
 * (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 7.6).
 * @param weighted values, each with the sum of its weights, which are 1 on average
 * @param factors of each class, with its answers
 */
export function poststratifiedSample(
  weighted: ValueCounts,
  factors: readonly (readonly [factor: number, answers: number])[],
  { people, squares }: LinearisedSums,
): Sample {
  const answers = factors.reduce((sum, [, count]) => sum + count, 0);
  const squaredFactors = factors.reduce((sum, [factor, count]) => sum + count * factor ** 2, 0);
  const own = { answers, people, ...moments(weighted, answers) };
  const variance = people < 2 ? 0 : perDraw(people) * squares;
  const isRounding = variance <= (roundingError * own.variance) / answers;
  // As many equal weights would have the same sum of squares (Kish 1965, Survey Sampling, section 11.7).
  const leastAnswers = Math.min(people, 1 / squaredFactors);
  return { ...own, clusteredVariance: isRounding ? 0 : variance, leastAnswers };
}

/** Covariance of two such means. @param products of the sums of each person who answered in both, added up */
export const linearisedCovariance = (first: Sample, second: Sample, products: number): number =>
  products * Math.sqrt(perDraw(first.people) * perDraw(second.people));
