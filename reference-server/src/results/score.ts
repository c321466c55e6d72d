import { ratingScales, type SurveyType } from "@afterword/protocol";
import jstat from "jstat";

/** How many answers gave each rating; ratings that no answer gave may be missing. */
export type Distribution = ReadonlyMap<number, number>;

export type ScoreName = "NPS" | "CSAT" | "CES" | "PMF";

/** A survey's score with its 95 % confidence interval. */
export interface Score {
  name: ScoreName;
  /** NPS: -100 to 100. CSAT and PMF: a share from 0 to 1. CES: a mean from 1 to 7. Null without answers. */
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
}

/** Fewer answers than this say too little: the number is shown with that warning beside it. */
export const fewestToTell = 30;

/** The 0.975 quantile of the normal distribution. */
const z = 1.959963984540054;
const { studentt } = jstat.jStat;

const scoreNames: Readonly<Record<SurveyType, ScoreName>> = {
  nps: "NPS",
  csat: "CSAT",
  ces: "CES",
  pmf: "PMF",
};

/** The ends of what a score can be. */
export const scoreRanges: Readonly<Record<ScoreName, readonly [number, number]>> = {
  NPS: [-100, 100],
  CSAT: [0, 1],
  CES: [1, 7],
  PMF: [0, 1],
};

/** A score as what comparing two of them needs: its own scale runs from -1 to 1, 0 to 1 or 1 to 7. */
export interface Estimate {
  n: number;
  value: number;
  low: number;
  high: number;
  /** Of the estimate, not of one answer. */
  standardError: number;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

const countFrom = (ratings: Distribution, from: number, through: number): number =>
  sum([...ratings].filter(([rating]) => rating >= from && rating <= through).map(([, count]) => count));

/**
 * Difference of two shares of one sample. The interval is the adjusted Wald interval of Bonett and Price (2012, Journal
 * of Educational and Behavioral Statistics 37(4), 479-488): one answer is added on either side, so that it keeps its
 * width where all answers agree.
 */
export function shareDifference(above: number, below: number, n: number): Estimate {
  const [p, q] = [(above + 1) / (n + 2), (below + 1) / (n + 2)];
  const standardError = Math.sqrt((p + q - (p - q) ** 2) / (n + 2));
  const low = Math.max(-1, p - q - z * standardError);
  const high = Math.min(1, p - q + z * standardError);
  return { n, value: (above - below) / n, low, high, standardError };
}

/** A share with the score interval of Wilson (1927, Journal of the American Statistical Association 22, 209-212). */
export function share(hits: number, n: number): Estimate {
  const value = hits / n;
  const middle = (hits + z ** 2 / 2) / (n + z ** 2);
  const halfWidth = (z / (n + z ** 2)) * Math.sqrt((hits * (n - hits)) / n + z ** 2 / 4);
  const [low, high] = [Math.max(0, middle - halfWidth), Math.min(1, middle + halfWidth)];
  return { n, value, low, high, standardError: Math.sqrt((value * (1 - value)) / n) };
}

/** A mean with the interval of Student's t (1908, Biometrika 6, 1-25); one answer alone has the whole scale. */
export function mean(ratings: Distribution, [least, most]: readonly [number, number]): Estimate {
  const n = sum(ratings.values());
  const value = sum([...ratings].map(([rating, count]) => rating * count)) / n;
  if (n < 2) return { n, value, low: least, high: most, standardError: Infinity };
  const variance = sum([...ratings].map(([rating, count]) => count * (rating - value) ** 2)) / (n - 1);
  const standardError = Math.sqrt(variance / n);
  const halfWidth = studentt.inv(0.975, n - 1) * standardError;
  const [low, high] = [Math.max(least, value - halfWidth), Math.min(most, value + halfWidth)];
  return { n, value, low, high, standardError };
}

/** `undefined` without answers. */
export function estimate(type: SurveyType, ratings: Distribution): Estimate | undefined {
  const n = sum(ratings.values());
  if (n === 0) return undefined;
  if (type === "nps") return shareDifference(countFrom(ratings, 9, 10), countFrom(ratings, 0, 6), n);
  if (type === "csat") return share(countFrom(ratings, 4, 5), n);
  if (type === "pmf") return share(countFrom(ratings, 2, 2), n);
  return mean(ratings, [ratingScales.ces.min, ratingScales.ces.max]);
}

/** NPS is told in points of a hundred. */
export const scaleOf = (type: SurveyType): number => (type === "nps" ? 100 : 1);

/** A survey's score: NPS, the share of 4 and 5 (CSAT), the share of "very disappointed" (PMF) or the mean (CES). */
export function score(type: SurveyType, ratings: Distribution): Score {
  const name = scoreNames[type];
  const found = estimate(type, ratings);
  if (!found) return { name, value: null, low: null, high: null, n: 0 };
  const scale = scaleOf(type);
  return { name, value: found.value * scale, low: found.low * scale, high: found.high * scale, n: found.n };
}
