import { describe, expect, it } from "vitest";
import { answersOf } from "./answers.fixture.ts";
import { difference } from "./difference.ts";

const apart = { people: 0, weights: 0, weightTimesValue: 0, valueTimesWeight: 0, values: 0 };

describe("a difference of scores", () => {
  it("of NPS is in points of a hundred", () => {
    const [before, after] = [answersOf({ 10: 50, 5: 50 }), answersOf({ 10: 80, 5: 20 })];
    expect(difference("nps", before, after, apart)!.value).toBeCloseTo(60, 9);
  });

  it("needs people on both sides, and two of them for a mean", () => {
    expect(difference("csat", answersOf({}), answersOf({ 5: 1, 1: 1 }), apart)).toBeUndefined();
    expect(difference("ces", answersOf({ 4: 1 }), answersOf({ 5: 1, 6: 1 }), apart)).toBeUndefined();
  });
});
