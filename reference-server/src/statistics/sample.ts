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
export interface Sample extends PersonSums {
  answers: number;
  mean: number;
  /** Of one answer: the sum of squared deviations divided by n - 1. */
  variance: number;
}

/** Sums over the people who answered in both of two groups. */
export interface SharedSums {
  people: number;
  weights: number;
  /** The first group's weight times the second group's value. */
  weightTimesValue: number;
  valueTimesWeight: number;
  values: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** @param counts values, each with the number of its answers */
export function sampleOf(
  counts: readonly (readonly [value: number, count: number])[],
  people: PersonSums,
): Sample {
  const answers = sum(counts.map(([, count]) => count));
  const mean = sum(counts.map(([value, count]) => value * count)) / answers;
  const variance = sum(counts.map(([value, count]) => count * (value - mean) ** 2)) / (answers - 1);
  return { ...people, answers, mean, variance };
}

/** The sums cancel out where there is no variance, but for the rounding of their terms. */
const roundingError = 1e-12;

/**
 * Covariance of the means of two groups, where a person's answers are one draw: Taylor linearisation of a ratio with people
 * as primary sampling units (Woodruff 1971, Journal of the American Statistical Association 66, 411-414).
 */
export function covariance(first: Sample, second: Sample, shared: SharedSums): number {
  const terms = [
    shared.values,
    -second.mean * shared.valueTimesWeight,
    -first.mean * shared.weightTimesValue,
    first.mean * second.mean * shared.weights,
  ];
  const products = sum(terms);
  if (Math.abs(products) <= roundingError * sum(terms.map(Math.abs))) return 0;
  const perDraw = (people: number) => people / (people - 1);
  const factor = Math.sqrt(perDraw(first.people) * perDraw(second.people));
  return (factor * products) / (first.answers * second.answers);
}

/** Variance of the mean of a group, where a person's answers are one draw: its covariance with itself. */
export function clusteredVariance(sample: Sample): number {
  const { people, squaredWeights, weightsTimesValues, squaredValues } = sample;
  return covariance(sample, sample, {
    people,
    weights: squaredWeights,
    weightTimesValue: weightsTimesValues,
    valueTimesWeight: weightsTimesValues,
    values: squaredValues,
  });
}

/** Correlation of the means of two groups; 0 where no person is in both. */
export function correlation(first: Sample, second: Sample, shared: SharedSums): number {
  const product = clusteredVariance(first) * clusteredVariance(second);
  if (shared.people === 0 || product === 0) return 0;
  return Math.max(-1, Math.min(1, covariance(first, second, shared) / Math.sqrt(product)));
}
