import { tQuantile } from "./quantiles.ts";
import { type Sample } from "./sample.ts";

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
