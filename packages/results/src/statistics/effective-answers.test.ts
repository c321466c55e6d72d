import { describe, expect, it } from "vitest";
import { designEffect, effectiveAnswers, effectiveAnswersOfShare } from "./estimate.ts";
import { hits, sampleOfPeople, type Person } from "./samples.fixture.ts";

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
