import { tQuantile, z } from "./quantiles.ts";
import { type Sample } from "./sample.ts";

/** A mean of answers with its 95 % confidence interval, as comparing two of them needs it. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
  /** The standard error of the estimate, not of one answer. */
  standardError: number;
  /** How many independent answers would have such an interval. */
  effectiveAnswers: number;
  people: number;
}

/**
 * How much wider the variance of a mean is because people answered several times (Kish 1965, Survey Sampling, section 5.4):
 * the variance by people divided by that of independent answers.
 */
export const designEffect = ({ clusteredVariance, variance, answers }: Sample): number =>
  clusteredVariance / (variance / answers);

/**
 * How many independent answers would say as much, never more than there are: n / design effect. Without variance between
 * people there is no such ratio, and each person counts as one answer, or less where weights differ.
 */
export function effectiveAnswers(sample: Sample): number {
  const { answers, clusteredVariance, leastAnswers } = sample;
  if (leastAnswers === answers) return answers;
  if (clusteredVariance === 0) return leastAnswers;
  return Math.min(answers, answers / designEffect(sample));
}

/**
 * The same for intervals of shares, which have no degrees of freedom of their own: the ratio of the t quantiles stands in for
 * those of people (Korn and Graubard 1998, Survey Methodology 24, 193-201).
 */
export function effectiveAnswersOfShare(sample: Sample): number {
  const { answers, people, clusteredVariance } = sample;
  const effective = effectiveAnswers(sample);
  if (people === answers || clusteredVariance === 0) return effective;
  return effective * (tQuantile(answers - 1) / tQuantile(people - 1)) ** 2;
}

/**
 * A share, of a sample whose values are 1 and 0, with the score interval of Wilson (1927, Journal of the American Statistical
 * Association 22, 209-212).
 * @param weightOfHits a sum of weights, which rounding may bring above that of all
 */
export function share(weightOfHits: number, sample: Sample): Estimate {
  const hits = Math.min(weightOfHits, sample.answers);
  const n = effectiveAnswersOfShare(sample);
  const counted = hits * (n / sample.answers);
  const value = hits / sample.answers;
  const middle = (counted + z ** 2 / 2) / (n + z ** 2);
  const halfWidth = (z / (n + z ** 2)) * Math.sqrt((counted * (n - counted)) / n + z ** 2 / 4);
  const [low, high] = [Math.max(0, middle - halfWidth), Math.min(1, middle + halfWidth)];
  const standardError = Math.sqrt((value * (1 - value)) / n);
  return { value, low, high, standardError, effectiveAnswers: n, people: sample.people };
}

/**
 * Difference of two shares of one sample, whose values are 1, 0 and -1. The interval is the adjusted Wald interval of Bonett
 * and Price (2012, Journal of Educational and Behavioral Statistics 37(4), 479-488): one answer is added on either side, so
 * that it keeps its width where all answers agree.
 */
export function shareDifference(above: number, below: number, sample: Sample): Estimate {
  const n = effectiveAnswersOfShare(sample);
  const scale = n / sample.answers;
  const [p, q] = [(above * scale + 1) / (n + 2), (below * scale + 1) / (n + 2)];
  const standardError = Math.sqrt((p + q - (p - q) ** 2) / (n + 2));
  const low = Math.max(-1, p - q - z * standardError);
  const high = Math.min(1, p - q + z * standardError);
  const value = (above - below) / sample.answers;
  return { value, low, high, standardError, effectiveAnswers: n, people: sample.people };
}

/** A mean with the interval of Student's t (1908, Biometrika 6, 1-25); one person alone has the whole scale. */
export function mean(sample: Sample, [least, most]: readonly [number, number]): Estimate {
  const { mean: value, people } = sample;
  const n = effectiveAnswers(sample);
  const known = { value, effectiveAnswers: n, people };
  if (people < 2) return { ...known, low: least, high: most, standardError: Infinity };
  const standardError = Math.sqrt(sample.variance / n);
  const halfWidth = tQuantile(people - 1) * standardError;
  const [low, high] = [Math.max(least, value - halfWidth), Math.min(most, value + halfWidth)];
  return { ...known, low, high, standardError };
}
