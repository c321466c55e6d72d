import { type SurveyType } from "@afterword/protocol";
import jstat from "jstat";
import { estimate, scaleOf, type Distribution, type Estimate } from "./score.ts";

/** How a score differs between two groups of answers; the second minus the first, in the score's own unit. */
export interface Difference {
  value: number;
  /** The 95 % confidence interval of this difference alone. */
  low: number;
  high: number;
  /** Of the hypothesis that there is no difference, by a two-sided test. */
  probability: number;
}

const { studentt, normal } = jstat.jStat;
const twoSided = (tail: number): number => Math.min(1, 2 * tail);

/**
 * Difference of two independent shares or differences of shares, with an interval from the limits of both: the square
 * and add method of Newcombe (1998, Statistics in Medicine 17, 873-890) and Zou and Donner (2008, the same 27, 1693-1702).
 */
function ofShares(before: Estimate, after: Estimate, standardError: number): Difference {
  const value = after.value - before.value;
  const down = Math.hypot(after.value - after.low, before.high - before.value);
  const up = Math.hypot(after.high - after.value, before.value - before.low);
  const distance = standardError === 0 ? 0 : Math.abs(value) / standardError;
  return {
    value,
    low: value - down,
    high: value + up,
    probability: twoSided(1 - normal.cdf(distance, 0, 1)),
  };
}

/** The test of two shares goes by what both samples say together. */
function pooledError(before: Estimate, after: Estimate): number {
  const pooled = (before.value * before.n + after.value * after.n) / (before.n + after.n);
  return Math.sqrt(pooled * (1 - pooled) * (1 / before.n + 1 / after.n));
}

/** Difference of two means without assuming equal variances (Welch 1947, Biometrika 34, 28-35). */
function ofMeans(before: Estimate, after: Estimate): Difference {
  const value = after.value - before.value;
  const [first, second] = [before.standardError ** 2, after.standardError ** 2];
  const standardError = Math.sqrt(first + second);
  if (standardError === 0) return { value, low: value, high: value, probability: value === 0 ? 1 : 0 };
  const freedom = (first + second) ** 2 / (first ** 2 / (before.n - 1) + second ** 2 / (after.n - 1));
  const halfWidth = studentt.inv(0.975, freedom) * standardError;
  const tail = 1 - studentt.cdf(Math.abs(value) / standardError, freedom);
  return { value, low: value - halfWidth, high: value + halfWidth, probability: twoSided(tail) };
}

/** `undefined` where either side has too few answers to compare: none, or a single one for a mean. */
export function difference(type: SurveyType, from: Distribution, to: Distribution): Difference | undefined {
  const [before, after] = [estimate(type, from), estimate(type, to)];
  if (!before || !after) return undefined;
  if (type === "ces") return before.n < 2 || after.n < 2 ? undefined : ofMeans(before, after);
  const error =
    type === "nps" ? Math.hypot(before.standardError, after.standardError) : pooledError(before, after);
  const { value, low, high, probability } = ofShares(before, after, error);
  const scale = scaleOf(type);
  return { value: value * scale, low: low * scale, high: high * scale, probability };
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
