import { describe, expect, it } from "vitest";
import { mean, score, share, shareDifference } from "./score.ts";

const of = (counts: Record<number, number>) =>
  new Map(Object.entries(counts).map(([rating, count]) => [Number(rating), count]));

describe("a share", () => {
  // Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("%i of %i has Wilson's interval as published", (hits, n, low, high) => {
    const found = share(hits, n);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });
});

describe("the difference of two shares of one sample", () => {
  it("has the adjusted Wald interval", () => {
    // (61 - 21) / 102, and 1.96 times the root of (82/102 - (40/102)²) / 102, calculated by hand.
    const { value, low, high } = shareDifference(60, 20, 100);
    expect(value).toBeCloseTo(0.4, 12);
    expect(low).toBeCloseTo(0.2357, 4);
    expect(high).toBeCloseTo(0.5486, 4);
  });

  it("keeps a width where all answers agree, and contains the value", () => {
    for (const n of [1, 5, 40, 1000]) {
      const { value, low, high } = shareDifference(n, 0, n);
      expect(value).toBe(1);
      expect(low).toBeLessThan(1);
      expect(high).toBe(1);
    }
  });
});

describe("a mean", () => {
  it("has Student's interval", () => {
    // Ten answers: mean 5, standard deviation 2 / 3 * √5; the table's t for 9 degrees of freedom is 2.262.
    const { value, low, high } = mean(of({ 3: 2, 4: 2, 5: 2, 6: 2, 7: 2 }), [1, 7]);
    expect(value).toBe(5);
    const halfWidth = 2.262 * (Math.sqrt(20 / 9) / Math.sqrt(10));
    expect(low).toBeCloseTo(5 - halfWidth, 3);
    expect(high).toBeCloseTo(5 + halfWidth, 3);
  });

  it("of one answer could be anything on the scale", () => {
    expect(mean(of({ 6: 1 }), [1, 7])).toMatchObject({ n: 1, value: 6, low: 1, high: 7 });
  });
});

describe("a score", () => {
  it("of NPS is promoters minus detractors in points of a hundred", () => {
    expect(score("nps", of({ 0: 1, 6: 1, 7: 2, 8: 1, 9: 2, 10: 3 }))).toMatchObject({
      name: "NPS",
      value: 30,
      n: 10,
    });
  });

  it("of CSAT is the share of 4 and 5", () => {
    expect(score("csat", of({ 1: 1, 3: 1, 4: 5, 5: 3 }))).toMatchObject({ name: "CSAT", value: 0.8, n: 10 });
  });

  it("of PMF is the share of the very disappointed", () => {
    expect(score("pmf", of({ 0: 2, 1: 4, 2: 4 }))).toMatchObject({ name: "PMF", value: 0.4, n: 10 });
  });

  it("of CES is the mean", () => {
    expect(score("ces", of({ 1: 1, 7: 1 }))).toMatchObject({ name: "CES", value: 4, n: 2 });
  });

  it("without answers is null", () => {
    expect(score("nps", of({}))).toEqual({ name: "NPS", value: null, low: null, high: null, n: 0 });
  });
});
