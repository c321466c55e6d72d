import { type SurveyType } from "@afterword/protocol";
import {
  differenceOfMeans,
  differenceOfShareDifferences,
  differenceOfShares,
  type Difference,
} from "../statistics/difference.ts";
import { correlation, type SharedSums } from "../statistics/sample.ts";
import { scaleOf } from "./rating-values.ts";
import { estimate, isEmpty, scoreSample, type Answers } from "./score.ts";

/**
 * How a score differs between two groups of answers.
 * @param shared of the people who answered in both
 * @returns `undefined` where either side has too few people to compare: none, or a single one for a mean
 */
export function difference(
  type: SurveyType,
  from: Answers,
  to: Answers,
  shared: SharedSums,
): Difference | undefined {
  if (isEmpty(from) || isEmpty(to)) return undefined;
  const [first, second] = [scoreSample(type, from), scoreSample(type, to)];
  const [before, after] = [estimate(type, from, first), estimate(type, to, second)];
  const overlap = { people: shared.people, correlation: correlation(first, second, shared) };
  if (type === "ces")
    return before.people < 2 || after.people < 2 ? undefined : differenceOfMeans(before, after, overlap);
  if (type !== "nps") return differenceOfShares(before, after, overlap);
  const { value, low, high, probability } = differenceOfShareDifferences(before, after, overlap);
  const scale = scaleOf(type);
  return { value: value * scale, low: low * scale, high: high * scale, probability };
}
