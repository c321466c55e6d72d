import type { SurveyDefinition, SurveyType } from "@afterword/protocol";
import { ratingScales } from "@afterword/protocol/rating-scale";
import { describe, expect, it } from "vitest";
import { offersContact } from "./survey-flow.ts";
import { ratingOptions } from "./scale.tsx";
import { texts } from "../texts/en.ts";

const survey = (type: SurveyType, rest: Partial<SurveyDefinition> = {}): SurveyDefinition => ({
  id: "one",
  slug: "one",
  type,
  question: "How was it?",
  presentation: "corner",
  trigger: "manual",
  ...rest,
});
const types = ["nps", "csat", "ces", "pmf"] as const;

describe("the ratings of a survey", () => {
  it.each(types)("%s offers every rating of its range once", (type) => {
    const { min, max } = ratingScales[type];
    const ratings = ratingOptions(survey(type), texts).map(({ rating }) => rating);
    expect(ratings.sort((a, b) => a - b)).toEqual(
      Array.from({ length: max - min + 1 }, (_, index) => min + index),
    );
  });

  it.each(["nps", "ces"] as const)("the numbers of %s have words at both ends and nowhere else", (type) => {
    const words = ratingOptions(survey(type), texts).map(({ word }) => word);
    expect([words[0], words.at(-1)]).toEqual(texts[type]);
    expect(words.slice(1, -1).filter((word) => word !== undefined)).toEqual([]);
  });

  it("each face has a word", () => {
    expect(ratingOptions(survey("csat"), texts).map(({ word }) => word)).toEqual(texts.csat);
  });

  it("the three choices begin with the strongest", () => {
    expect(ratingOptions(survey("pmf"), texts)).toEqual([
      { rating: 2, word: "Very disappointed" },
      { rating: 1, word: "Somewhat disappointed" },
      { rating: 0, word: "Not disappointed" },
    ]);
  });

  it("the survey's own end labels win, each for itself", () => {
    const words = (type: SurveyType, own: SurveyDefinition["endLabels"]) =>
      ratingOptions(survey(type, { endLabels: own }), texts).map(({ word }) => word);
    expect(words("ces", { high: "A breeze" }).at(0)).toBe("Very difficult");
    expect(words("ces", { high: "A breeze" }).at(-1)).toBe("A breeze");
    expect(words("csat", { low: "Awful", high: "Lovely" })).toEqual([
      "Awful",
      "Dissatisfied",
      "Neutral",
      "Satisfied",
      "Lovely",
    ]);
  });
});

describe("being contacted is offered", () => {
  const asked = (type: SurveyType) => survey(type, { followUpQuestion: "Why?" });
  const offered = (type: SurveyType, when: "never" | "low" | "always" | undefined) =>
    ratingOptions(asked(type), texts)
      .map(({ rating }) => rating)
      .filter((rating) => offersContact(asked(type), when, rating))
      .sort((a, b) => a - b);

  it.each([
    ["nps", [0, 1, 2, 3, 4, 5, 6]],
    ["csat", [1, 2]],
    ["ces", [1, 2, 3]],
    ["pmf", [0]],
  ] as const)("by default at the low ratings of %s: %j", (type, ratings) => {
    expect(offered(type, undefined)).toEqual(ratings);
    expect(offered(type, "low")).toEqual(ratings);
  });

  it("at every rating or at none, when the host page says so", () => {
    expect(offered("csat", "always")).toEqual([1, 2, 3, 4, 5]);
    expect(offered("csat", "never")).toEqual([]);
  });

  it("not without a follow-up question, unless always", () => {
    expect(offersContact(survey("csat"), "low", 1)).toBe(false);
    expect(offersContact(survey("csat"), "always", 1)).toBe(true);
  });
});
