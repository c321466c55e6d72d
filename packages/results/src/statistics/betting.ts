/** Answers between 0 and 1 in their order, each with the bet that was placed before it was known. */
export interface Betting {
  values: readonly number[];
  /** Before they are cut to what a mean allows. */
  bets: Float64Array;
  /** How probable it is, at most, that the lower bound is ever above the mean; the same for the upper bound below it. */
  error: number;
}

/** Bounds of a mean between 0 and 1. */
export interface Bounds {
  low: number;
  high: number;
}

/** No bet risks more than this share of the capital, which therefore stays above 0. */
const mostAtStake = 0.5;

/** A bound is exact to 2^-20 and errs to the outside. */
const halvings = 20;

/**
 * Predictable plug-in bets: small where the values before varied much, and where `spread` answers share the risk.
 * @param spread by the number of the answer, from 1 on
 */
function placeBets(values: readonly number[], error: number, spread: (answer: number) => number): Betting {
  const bets = new Float64Array(values.length);
  let [sum, squares] = [0.5, 0.25];
  for (const [index, value] of values.entries()) {
    const answer = index + 1;
    bets[index] = Math.sqrt((-2 * Math.log(error) * answer) / (squares * spread(answer)));
    sum += value;
    squares += (value - sum / (answer + 1)) ** 2;
  }
  return { values, bets, error };
}

/**
 * A confidence sequence: its bounds hold at all numbers of answers at once, so that it may be looked at after each of them and
 * for as long as one likes. Hedged capital process with bets of Waudby-Smith and Ramdas (2024, Journal of the Royal
 * Statistical Society B 86(1), 1-27, sections 4.2 and 4.4). It asks of the answers only that each has the same mean, given
 * those before it.
 */
export const sequenceOf = (values: readonly number[], error: number): Betting =>
  placeBets(values, error, (answer) => answer * Math.log(1 + answer));

/** Scatters whole numbers over 32 bits: MurmurHash3's last step (Appleby 2011, public domain). */
function scattered(number: number): number {
  let bits = number ^ (number / 2 ** 32);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Values in an order that has nothing to do with their times, so that a mean that has changed among them is one mean again.
 * It is the same each time, also for those that are left when some are deleted.
 * @param times milliseconds since 1970, of each value
 */
export function mixed(values: readonly number[], times: readonly number[]): number[] {
  const places = times.map(scattered);
  const order = values.map((_, index) => index).sort((one, other) => places[one]! - places[other]!);
  return order.map((index) => values[index]!);
}

/** A sample that is complete: the same with bets for its number of answers, which makes its bounds narrower (section 4.4). */
export const sampleInOrder = (values: readonly number[], error: number): Betting =>
  placeBets(values, error, () => values.length);

/**
 * The index of the answer since which the mean is known to be below `mean`: the capital of bets against means from there on
 * has reached 1 / error. Its logarithm is summed, so that no number of answers overflows. Absent as long as it has not.
 */
export function firstBelow({ values, bets, error }: Betting, mean: number): number | undefined {
  const most = mostAtStake / (1 - mean);
  const enough = -Math.log(error);
  let capital = 0;
  for (let index = 0; index < bets.length; index++) {
    capital += Math.log1p(Math.min(bets[index]!, most) * (mean - values[index]!));
    if (capital >= enough) return index;
  }
  return undefined;
}

/** The capital grows with the mean that it is bet against, so that halving finds the least mean that is refuted. */
function highOf(betting: Betting): number {
  let [possible, refuted] = [0, 1];
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (possible + refuted) / 2;
    if (firstBelow(betting, middle) === undefined) possible = middle;
    else refuted = middle;
  }
  return refuted;
}

/** What all answers together leave possible: the intersection of the bounds after each of them. */
export function boundsOf(betting: Betting): Bounds {
  const mirrored = betting.values.map((value) => 1 - value);
  return { low: 1 - highOf({ ...betting, values: mirrored }), high: highOf(betting) };
}
