import { describe, expect, it } from "vitest";
import { differenceOfMeans, differenceOfShares, differenceOfShareDifferences, holm } from "./difference.ts";
import { mean, share, shareDifference } from "./estimate.ts";
import { correlation } from "./sample.ts";
import { covariance, hits, independent, sampleOfPeople, type Person } from "./samples.fixture.ts";

const apart = { people: 0, correlation: 0 };
const shareOf = (count: number, n: number) => share(count, hits(count, n));
const meanOf = (values: readonly number[]) => mean(independent(values), [-Infinity, Infinity]);

/** Both sides of people who answered on both. */
function paired(pairs: readonly (readonly [Person, Person])[]) {
  const sides = [0, 1].map((side) => sampleOfPeople(pairs.map((pair) => pair[side]!)));
  const [before, after] = [sides[0]!, sides[1]!];
  const inBoth = covariance(before, after, pairs);
  return {
    before,
    after,
    overlap: { people: pairs.length, correlation: correlation(before, after, inBoth) },
  };
}

describe("a difference", () => {
  it("of two shares has the interval that Newcombe published", () => {
    // 1998, Statistics in Medicine 17, 873-890, table II, method 10: 56/70 - 48/80.
    const found = differenceOfShares(shareOf(48, 80), shareOf(56, 70), apart);
    expect(found.value).toBeCloseTo(0.2, 12);
    expect(found.low).toBeCloseTo(0.0524, 4);
    expect(found.high).toBeCloseTo(0.3339, 4);
    // The pooled z is 2.6413, whose two-sided probability is in every table.
    expect(found.probability).toBeCloseTo(0.0083, 3);
  });

  it("of two means is Welch's", () => {
    // The worked example of https://en.wikipedia.org/wiki/Student's_t-test: 7.031 degrees of freedom, P 0.09077.
    const first = [30.02, 29.99, 30.11, 29.97, 30.01, 29.99];
    const second = [29.89, 29.93, 29.72, 29.98, 30.02, 29.98];
    const found = differenceOfMeans(meanOf(second), meanOf(first), apart);
    expect(found.value).toBeCloseTo(0.095, 9);
    expect(found.probability).toBeCloseTo(0.09077, 4);
    expect(found.low).toBeLessThan(0);
  });

  it("that is none has the probability 1", () => {
    expect(differenceOfShares(shareOf(4, 8), shareOf(4, 8), apart).probability).toBe(1);
    expect(differenceOfMeans(meanOf([4, 4]), meanOf([4, 4]), apart).probability).toBe(1);
  });
});

describe("a difference within the same people", () => {
  it("of means is that of the paired t-test", () => {
    // Student 1908, Biometrika 6, 1-25: hours of sleep gained by ten patients with two drugs; t is 4.0621, P 0.002833,
    // and the 95 % interval from 0.7001 to 2.4599.
    const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    const { before, after, overlap } = paired(first.map((value, index) => [[value], [second[index]!]]));
    const of = (sample: typeof before) => mean(sample, [-Infinity, Infinity]);
    const found = differenceOfMeans(of(before), of(after), overlap);
    expect(found.value).toBeCloseTo(1.58, 9);
    expect(found.low).toBeCloseTo(0.7001, 3);
    expect(found.high).toBeCloseTo(2.4599, 3);
    expect(found.probability).toBeCloseTo(0.002833, 5);
  });

  it("of shares is narrower where they agree, and wider where they contradict themselves", () => {
    const people = (agreeing: number): [Person, Person][] =>
      Array.from({ length: 40 }, (_, index) => {
        const first = index % 2;
        return [[first], [index < agreeing ? first : 1 - first]];
      });
    const width = (agreeing: number, of: "share" | "difference") => {
      const { before, after, overlap } = paired(people(agreeing));
      const { low, high } =
        of === "share"
          ? differenceOfShares(share(20, before), share(20, after), overlap)
          : differenceOfShareDifferences(
              shareDifference(20, 0, before),
              shareDifference(20, 0, after),
              overlap,
            );
      return high - low;
    };
    for (const of of ["share", "difference"] as const) {
      expect(width(36, of)).toBeLessThan(0.7 * width(20, of));
      expect(width(4, of)).toBeGreaterThan(1.2 * width(20, of));
    }
  });

  it("who all give the same answer as before is certain to be none", () => {
    const { before, after, overlap } = paired([
      [[3], [3]],
      [[5], [5]],
      [[6], [6]],
    ]);
    expect(overlap.correlation).toBe(1);
    const found = differenceOfMeans(mean(before, [1, 7]), mean(after, [1, 7]), overlap);
    expect(found).toMatchObject({ value: 0, probability: 1 });
  });
});

describe("Holm's correction", () => {
  it("stops at the first probability that is too large for its rank", () => {
    // The worked example of https://en.wikipedia.org/wiki/Holm-Bonferroni_method.
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([true, false, false, true]);
  });

  it("rejects all or none where all or none are small", () => {
    expect(holm([0.001, 0.001])).toEqual([true, true]);
    expect(holm([0.2, 0.03])).toEqual([false, false]);
    expect(holm([])).toEqual([]);
  });
});
