import { type Estimate } from "./estimate.ts";
import { normalProbability, tProbability, tQuantile } from "./quantiles.ts";

/** How a score differs between two groups of answers; the second minus the first, in the score's own unit. */
export interface Difference {
  value: number;
  /** The 95 % confidence interval of this difference alone. */
  low: number;
  high: number;
  /** Of the hypothesis that there is no difference, by a two-sided test. */
  probability: number;
}

/** The people who answered in both groups, and how that correlates the two estimates. */
export interface Overlap {
  people: number;
  correlation: number;
}

/** The root of a² - 2 r a b + b². */
const apart = (a: number, b: number, { correlation: r }: Overlap): number =>
  Math.hypot(a - r * b, b * Math.sqrt(1 - r ** 2));

/**
 * Interval from the limits of both estimates: the square and add method of Newcombe (1998, Statistics in Medicine 17,
 * 873-890), in the form of Zou (2007, Psychological Methods 12, 399-413) for correlated estimates.
 */
function fromLimits(before: Estimate, after: Estimate, overlap: Overlap, standardError: number): Difference {
  const value = after.value - before.value;
  const down = apart(after.value - after.low, before.high - before.value, overlap);
  const up = apart(after.high - after.value, before.value - before.low, overlap);
  const distance = standardError === 0 ? 0 : Math.abs(value) / standardError;
  return { value, low: value - down, high: value + up, probability: normalProbability(distance) };
}

/** Difference of two shares. The test goes by the share that both samples have together. */
export function differenceOfShares(before: Estimate, after: Estimate, overlap: Overlap): Difference {
  const [first, second] = [before.effectiveAnswers, after.effectiveAnswers];
  const pooled = (before.value * first + after.value * second) / (first + second);
  const shared = (2 * overlap.correlation) / Math.sqrt(first * second);
  const standardError = Math.sqrt(pooled * (1 - pooled) * Math.max(0, 1 / first + 1 / second - shared));
  return fromLimits(before, after, overlap, standardError);
}

/** Difference of two differences of shares, each with its own standard error. */
export const differenceOfShareDifferences = (
  before: Estimate,
  after: Estimate,
  overlap: Overlap,
): Difference =>
  fromLimits(before, after, overlap, apart(before.standardError, after.standardError, overlap));

/**
 * Difference of two means without assuming equal variances (Welch 1947, Biometrika 34, 28-35). People in both groups count
 * once in the degrees of freedom: with the same people in both they are those of paired values.
 */
export function differenceOfMeans(before: Estimate, after: Estimate, overlap: Overlap): Difference {
  const value = after.value - before.value;
  const [first, second] = [before.standardError ** 2, after.standardError ** 2];
  const shared = 2 * overlap.correlation * before.standardError * after.standardError;
  const standardError = Math.sqrt(Math.max(0, first + second - shared));
  if (standardError === 0) return { value, low: value, high: value, probability: value === 0 ? 1 : 0 };
  const welch = (first + second) ** 2 / (first ** 2 / (before.people - 1) + second ** 2 / (after.people - 1));
  const freedom = Math.min(welch, before.people + after.people - overlap.people - 1);
  const halfWidth = tQuantile(freedom) * standardError;
  const probability = tProbability(Math.abs(value) / standardError, freedom);
  return { value, low: value - halfWidth, high: value + halfWidth, probability };
}

/**
 * Which of several probabilities are small enough when all of them are looked at together, at 5 % for the family (Holm
 * 1979, Scandinavian Journal of Statistics 6, 65-70).
 */
export function holm(probabilities: readonly number[]): boolean[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a]! - probabilities[b]!);
  const firstKept = order.findIndex((index, rank) => probabilities[index]! > 0.05 / (order.length - rank));
  const rejected = new Set(firstKept < 0 ? order : order.slice(0, firstKept));
  return probabilities.map((_, index) => rejected.has(index));
}
