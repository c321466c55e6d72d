import { describe, expect, it } from "vitest";
import {
  designEffect,
  effectiveAnswers,
  effectiveAnswersOfShare,
  mean,
  share,
  shareDifference,
} from "./estimate.ts";
import { hits, independent, sampleOfPeople, type Person } from "./samples.fixture.ts";

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

const repeated = (people: number, share: number, times: number): Person[] =>
  Array.from({ length: people }, (_, index) => Array(times).fill(index < people * share ? 1 : 0) as number[]);

const alike = (people: number, answers: Person): Person[] => Array.from({ length: people }, () => answers);

describe("the design effect", () => {
  it("of people who answer alike each time is nearly the number of their answers", () => {
    // (n - 1) / (people - 1) times people / n times the answers of each: 99/9 * 10/100 * 10.
    expect(designEffect(sampleOfPeople(repeated(10, 0.5, 10)))).toBeCloseTo(11, 9);
  });

  it("is 1 with one answer each", () => {
    expect(designEffect(hits(7, 20))).toBeCloseTo(1, 12);
  });

  it("follows the correlation within people as 1 + (m - 1) ρ", () => {
    // Kish 1965. Four kinds of people with two answers each: agreeing in 6 of 8, so that ρ is 0.5 for infinitely many.
    const people = [
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
      [0, 1],
    ];
    const many = Array.from({ length: 1000 }, () => people).flat();
    expect(designEffect(sampleOfPeople(many))).toBeCloseTo(1.5, 3);
  });
});

describe("effective answers", () => {
  it("are the answers, to the last digit, with one answer each", () => {
    for (const [count, n] of [
      [7, 20],
      [1, 3],
      [999, 1000],
      [1, 1],
    ] as const) {
      expect(effectiveAnswers(hits(count, n))).toBe(n);
      expect(effectiveAnswersOfShare(hits(count, n))).toBe(n);
    }
  });

  it("are never more than the answers, though people contradict themselves", () => {
    const mixed = [...repeated(6, 0.5, 1), ...alike(30, [1, 0])];
    expect(designEffect(sampleOfPeople(mixed))).toBeLessThan(1);
    expect(effectiveAnswers(sampleOfPeople(mixed))).toBe(66);
  });

  it("are the people where nothing varies between them", () => {
    for (const people of [
      repeated(8, 1, 5),
      repeated(8, 0, 5),
      alike(8, [1, 0]),
      [
        [1, 0, 1],
        [1, 0, 1],
      ],
    ])
      expect(effectiveAnswersOfShare(sampleOfPeople(people))).toBe(people.length);
    expect(effectiveAnswersOfShare(sampleOfPeople([[1, 0, 0, 1]]))).toBe(1);
  });

  it("of a share are fewer by the squared ratio of the t quantiles", () => {
    const sample = sampleOfPeople(repeated(10, 0.5, 10));
    // Of 99 and of 9 degrees of freedom: 1.984 and 2.262.
    expect(effectiveAnswersOfShare(sample)).toBeCloseTo((100 / 11) * (1.984217 / 2.262157) ** 2, 5);
  });
});
