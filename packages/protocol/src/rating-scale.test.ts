import { describe, expect, it } from "vitest";
import { ratingBounds, ratingLabel, ratingScales, type SurveyType } from "./rating-scale.ts";

const types = Object.keys(ratingScales) as SurveyType[];

describe("rating scales", () => {
  it.each([
    ["nps", { 0: "detractor", 6: "detractor", 7: "passive", 8: "passive", 9: "promoter", 10: "promoter" }],
    ["csat", { 1: "dissatisfied", 2: "dissatisfied", 3: "neutral", 4: "satisfied", 5: "satisfied" }],
    ["ces", { 1: "hard", 3: "hard", 4: "neutral", 5: "easy", 7: "easy" }],
    ["pmf", { 0: "not_disappointed", 1: "somewhat_disappointed", 2: "very_disappointed" }],
  ] as const)("%s has its labels", (type, labels) => {
    for (const [rating, label] of Object.entries(labels))
      expect(ratingLabel(type, Number(rating))).toBe(label);
  });

  it.each(types)("%s has the same bounds without words", (type) => {
    const { min, max, labels } = ratingScales[type];
    const [, middle, high] = labels.map(([from]) => from);
    expect(ratingBounds[type]).toEqual([min, max, middle! - 1, high]);
  });
});
