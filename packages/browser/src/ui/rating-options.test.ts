import type { SurveyDefinition, SurveyType } from "@afterword/protocol";
import { ratingScales } from "@afterword/protocol/rating-scale";
import { describe, expect, it } from "vitest";
import { endLabels, offersContact, ratingOptions, ratingRanges } from "./rating-options.ts";
import { texts } from "./texts/en.ts";

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
  it.each(types)("%s has the range of the protocol's table, and its lowest label", (type) => {
    const { min, max, labels } = ratingScales[type];
    expect(ratingRanges[type]).toEqual([min, max, labels[1]![0] - 1]);
  });

  it.each(types)("%s offers every rating of its range once, each with a name of its own", (type) => {
    const options = ratingOptions(survey(type), texts);
    const { min, max } = ratingScales[type];
    expect(options.map(({ rating }) => rating).sort((a, b) => a - b)).toEqual(
      Array.from({ length: max - min + 1 }, (_, index) => min + index),
    );
    expect(new Set(options.map(({ name }) => name)).size).toBe(options.length);
  });

  it("numbers are named by themselves, and the two ends say what they mean", () => {
    const options = ratingOptions(survey("nps"), texts);
    expect(options[0]).toEqual({ rating: 0, name: "0", description: "Not at all likely" });
    expect(options[5]).toEqual({ rating: 5, name: "5", description: undefined });
    expect(options[10]).toEqual({ rating: 10, name: "10", description: "Extremely likely" });
  });

  it("faces are named by number and word", () => {
    expect(ratingOptions(survey("csat"), texts).map(({ name }) => name)).toEqual([
      "1 – Very dissatisfied",
      "2 – Dissatisfied",
      "3 – Neutral",
      "4 – Satisfied",
      "5 – Very satisfied",
    ]);
  });

  it("the three choices begin with the strongest", () => {
    expect(ratingOptions(survey("pmf"), texts)).toMatchObject([
      { rating: 2, name: "Very disappointed" },
      { rating: 1, name: "Somewhat disappointed" },
      { rating: 0, name: "Not disappointed" },
    ]);
  });

  it("the survey's own end labels win, each for itself", () => {
    expect(endLabels(survey("ces", { endLabels: { high: "A breeze" } }), texts)).toEqual([
      "Very difficult",
      "A breeze",
    ]);
    const own = survey("csat", { endLabels: { low: "Awful", high: "Lovely" } });
    expect(ratingOptions(own, texts).map(({ name }) => name)).toEqual([
      "1 – Awful",
      "2 – Dissatisfied",
      "3 – Neutral",
      "4 – Satisfied",
      "5 – Lovely",
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
