import { type SurveyType } from "@afterword/protocol";
import {
  differenceOfMeans,
  differenceOfShareDifferences,
  differenceOfShares,
  type Difference,
  type Overlap,
} from "./statistics/difference.ts";
import { scaleOf } from "./rating-values.ts";
import { type Scored } from "./score.ts";

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
