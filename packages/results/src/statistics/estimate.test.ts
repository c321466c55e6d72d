import { describe, expect, it } from "vitest";
import { mean, share, shareDifference } from "./estimate.ts";
import { hits, independent, sampleOfPeople } from "./samples.fixture.ts";

describe("a share", () => {
  // Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("%i of %i has Wilson's interval as published", (count, n, low, high) => {
    const found = share(count, hits(count, n));
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  it("of people who always answer alike has the interval of as many answers, with fewer degrees of freedom", () => {
    const people = Array.from({ length: 20 }, (_, index) => Array(10).fill(index < 5 ? 1 : 0) as number[]);
    const found = share(50, sampleOfPeople(people));
    expect(found.value).toBe(0.25);
    const [fewest, most] = [share(4, hits(4, 16)), share(5, hits(5, 20))];
    expect(found.high - found.low).toBeLessThan(fewest.high - fewest.low);
    expect(found.high - found.low).toBeGreaterThan(most.high - most.low);
  });
});

describe("the difference of two shares of one sample", () => {
  const votes = (above: number, below: number, n: number) =>
    independent(
      Array.from({ length: n }, (_, index) => (index < above ? 1 : index < above + below ? -1 : 0)),
    );

  it("has the adjusted Wald interval", () => {
    // (61 - 21) / 102, and 1.96 times the root of (82/102 - (40/102)²) / 102, calculated by hand.
    const { value, low, high } = shareDifference(60, 20, votes(60, 20, 100));
    expect(value).toBeCloseTo(0.4, 12);
    expect(low).toBeCloseTo(0.2357, 4);
    expect(high).toBeCloseTo(0.5486, 4);
  });

  it("keeps a width where all answers agree, and contains the value", () => {
    for (const n of [1, 5, 40, 1000]) {
      const { value, low, high } = shareDifference(n, 0, votes(n, 0, n));
      expect(value).toBe(1);
      expect(low).toBeLessThan(1);
      expect(high).toBe(1);
    }
  });
});

describe("a mean", () => {
  it("has Student's interval", () => {
    // Ten answers: mean 5, standard deviation 2 / 3 * √5; the table's t for 9 degrees of freedom is 2.262.
    const { value, low, high } = mean(independent([3, 3, 4, 4, 5, 5, 6, 6, 7, 7]), [1, 7]);
    expect(value).toBe(5);
    const halfWidth = 2.262 * (Math.sqrt(20 / 9) / Math.sqrt(10));
    expect(low).toBeCloseTo(5 - halfWidth, 3);
    expect(high).toBeCloseTo(5 + halfWidth, 3);
  });

  it("of people who repeat themselves has the interval of their one answer each", () => {
    const values = [3, 3, 4, 4, 5, 5, 6, 6, 7, 7];
    const once = mean(independent(values), [1, 7]);
    const often = mean(sampleOfPeople(values.map((value) => Array(8).fill(value) as number[])), [1, 7]);
    expect(often.low).toBeCloseTo(once.low, 9);
    expect(often.high).toBeCloseTo(once.high, 9);
  });

  it("of one person could be anything on the scale, however many answers they gave", () => {
    for (const answers of [[6], [6, 6, 6]])
      expect(mean(sampleOfPeople([answers]), [1, 7])).toMatchObject({ value: 6, low: 1, high: 7 });
  });
});
