import { describe, expect, it } from "vitest";
import { difference, holm } from "./difference.ts";

const counted = (values: number[]) => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};
const satisfied = (hits: number, n: number) =>
  new Map([
    [5, hits],
    [1, n - hits],
  ]);

describe("a difference", () => {
  it("of two shares has the interval that Newcombe published", () => {
    // 1998, Statistics in Medicine 17, 873-890, table II, method 10: 56/70 - 48/80.
    const found = difference("csat", satisfied(48, 80), satisfied(56, 70))!;
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
    const found = difference("ces", counted(second), counted(first))!;
    expect(found.value).toBeCloseTo(0.095, 9);
    expect(found.probability).toBeCloseTo(0.09077, 4);
    expect(found.low).toBeLessThan(0);
  });

  it("of NPS is told in points of a hundred", () => {
    const before = new Map([
      [10, 50],
      [5, 50],
    ]);
    const after = new Map([
      [10, 80],
      [5, 20],
    ]);
    expect(difference("nps", before, after)!.value).toBeCloseTo(60, 9);
  });

  it("needs answers on both sides, and two of them for a mean", () => {
    expect(difference("csat", new Map(), satisfied(1, 2))).toBeUndefined();
    expect(difference("ces", counted([4]), counted([5, 6]))).toBeUndefined();
  });

  it("that is none has the probability 1", () => {
    expect(difference("csat", satisfied(4, 8), satisfied(4, 8))!.probability).toBe(1);
    expect(difference("ces", counted([4, 4]), counted([4, 4]))!.probability).toBe(1);
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
