import { tQuantile } from "./quantiles.ts";
import { clusteredVariance, type Sample } from "./sample.ts";

/**
 * How much wider the variance of a mean is because people answered several times (Kish 1965, Survey Sampling, section 5.4):
 * the variance by people divided by that of independent answers.
 */
export const designEffect = (sample: Sample): number =>
  clusteredVariance(sample) / (sample.variance / sample.answers);

/**
 * How many independent answers would say as much, never more than there are: n / design effect. Without variance between
 * people there is no such ratio, and each person counts as one answer.
 */
export function effectiveAnswers(sample: Sample): number {
  const { answers, people } = sample;
  if (people === answers) return answers;
  if (clusteredVariance(sample) === 0) return people;
  return Math.min(answers, answers / designEffect(sample));
}

/**
 * The same for intervals of shares, which have no degrees of freedom of their own: the ratio of the t quantiles stands in for
 * those of people (Korn and Graubard 1998, Survey Methodology 24, 193-201).
 */
export function effectiveAnswersOfShare(sample: Sample): number {
  const { answers, people } = sample;
  const effective = effectiveAnswers(sample);
  if (people === answers || clusteredVariance(sample) === 0) return effective;
  return effective * (tQuantile(answers - 1) / tQuantile(people - 1)) ** 2;
}
