import { type Sums } from "./tally.ts";

/** Answers by rating, one of each person. */
export function answersOf(byRating: Record<number, number>): Pick<Sums, "counts" | "sums"> {
  const counts = Array.from({ length: 11 }, (_, rating) => byRating[rating] ?? 0);
  const n = counts.reduce((sum, count) => sum + count, 0);
  return { counts, sums: { people: n, squaredWeights: n, weightsTimesValues: 0, squaredValues: 0 } };
}
