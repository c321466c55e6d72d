/**
 * Sums over the people of a group. A person's weight is the sum of the weights of their answers, which are 1 each: their
 * number. A person's value is the sum of weight times value.
 */
export interface PersonSums {
  people: number;
  squaredWeights: number;
  weightsTimesValues: number;
  squaredValues: number;
}

/** The answers of a group, as numbers of which the score is the mean. */
export interface Sample {
  answers: number;
  people: number;
  mean: number;
  /** The variance of one answer: the sum of squared deviations divided by n - 1. */
  variance: number;
  /** The variance of the mean, where a person's answers are one draw. */
  clusteredVariance: number;
  /** How many independent answers it counts for where the mean does not vary between people. */
  leastAnswers: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Values, each with the number of its answers, or with the sum of their weights. */
export type ValueCounts = readonly (readonly [value: number, count: number])[];

/** @param answers how many; their weights add up to it */
export function moments(counts: ValueCounts, answers: number): Pick<Sample, "mean" | "variance"> {
  const given = counts.filter(([, count]) => count > 0).map(([value]) => value);
  const unbounded = sum(counts.map(([value, count]) => value * count)) / answers;
  // The mean of values that agree is theirs, whatever rounding does to the sum of their weights.
  const mean = Math.min(Math.max(unbounded, Math.min(...given)), Math.max(...given));
  const variance = sum(counts.map(([value, count]) => count * (value - mean) ** 2)) / (answers - 1);
  return { mean, variance };
}

/** For sums of residuals over people: n / (n - 1). */
export const perDraw = (people: number): number => people / (people - 1);

/** The sums cancel out where there is no variance, but for the rounding of their terms. */
const roundingError = 1e-12;

/**
 * The variance of a mean where a person's answers are one draw: Taylor linearisation of a ratio with people as primary
 * sampling units (Woodruff 1971, Journal of the American Statistical Association 66, 411-414).
 */
function clusteredVariance(mean: number, answers: number, sums: PersonSums): number {
  const terms = [sums.squaredValues, -2 * mean * sums.weightsTimesValues, mean ** 2 * sums.squaredWeights];
  const squares = sum(terms);
  if (Math.abs(squares) <= roundingError * sum(terms.map(Math.abs))) return 0;
  return (perDraw(sums.people) * squares) / answers ** 2;
}

export function sampleOf(counts: ValueCounts, sums: PersonSums): Sample {
  const answers = sum(counts.map(([, count]) => count));
  const own = { answers, people: sums.people, ...moments(counts, answers), leastAnswers: sums.people };
  return { ...own, clusteredVariance: clusteredVariance(own.mean, answers, sums) };
}

/** Correlation of the means of two groups; 0 where one of them does not vary. */
export function correlation(first: Sample, second: Sample, covarianceOfBoth: number): number {
  const product = first.clusteredVariance * second.clusteredVariance;
  return product === 0 ? 0 : Math.max(-1, Math.min(1, covarianceOfBoth / Math.sqrt(product)));
}
