import { describe, expect, it } from "vitest";
import { type SurveyType } from "@afterword/protocol";
import { answersOf } from "./answers.fixture.ts";
import { difference } from "./difference.ts";
import { scored } from "./score.ts";

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
