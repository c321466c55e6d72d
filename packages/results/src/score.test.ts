import { describe, expect, it } from "vitest";
import { type SurveyType } from "@afterword/protocol";
import { answersOf } from "./answers.fixture.ts";
import { difference, score, scored } from "./score.ts";

const scoreOf = (type: SurveyType, byRating: Record<number, number>) =>
  score({ type }, scored(type, answersOf(byRating)));

describe("a score", () => {
  it("of NPS is promoters minus detractors in points of a hundred", () => {
    expect(scoreOf("nps", { 0: 1, 6: 1, 7: 2, 8: 1, 9: 2, 10: 3 })).toMatchObject({
      name: "NPS",
      value: 30,
      n: 10,
    });
  });

  it("of CSAT is the share of 4 and 5", () => {
    expect(scoreOf("csat", { 1: 1, 3: 1, 4: 5, 5: 3 })).toMatchObject({ name: "CSAT", value: 0.8, n: 10 });
  });

  it("of PMF is the share of the very disappointed", () => {
    expect(scoreOf("pmf", { 0: 2, 1: 4, 2: 4 })).toMatchObject({ name: "PMF", value: 0.4, n: 10 });
  });

  it("of CES is the mean", () => {
    expect(scoreOf("ces", { 1: 1, 7: 1 })).toMatchObject({ name: "CES", value: 4, n: 2 });
  });

  it("without answers is null", () => {
    expect(scoreOf("nps", {})).toEqual({
      name: "NPS",
      value: null,
      low: null,
      high: null,
      n: 0,
      people: 0,
      effectiveN: 0,
      isWeighted: false,
    });
  });
});

const apart = { people: 0, correlation: 0 };
const of = (type: SurveyType, byRating: Record<number, number>) => scored(type, answersOf(byRating));

describe("a difference of scores", () => {
  it("of NPS is in points of a hundred", () => {
    const [before, after] = [of("nps", { 10: 50, 5: 50 }), of("nps", { 10: 80, 5: 20 })];
    expect(difference("nps", before, after, apart)!.value).toBeCloseTo(60, 9);
  });

  it("needs people on both sides, and two of them for a mean", () => {
    expect(difference("csat", of("csat", {}), of("csat", { 5: 1, 1: 1 }), apart)).toBeUndefined();
    expect(difference("ces", of("ces", { 4: 1 }), of("ces", { 5: 1, 6: 1 }), apart)).toBeUndefined();
  });
});
