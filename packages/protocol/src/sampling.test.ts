import { describe, expect, it } from "vitest";
import vectors from "../vectors/sampling.json" with { type: "json" };
import { samplePosition } from "./sampling.ts";
import { type SurveyDefinition } from "./survey.ts";
import { whyNotShown } from "./why-not-shown.ts";

/** Whether clients show a survey with this share to this person. */
const isSampled = (id: string, surveyId: string, samplePercent?: number) =>
  whyNotShown({ id: surveyId, samplePercent } as SurveyDefinition, {
    respondent: { id },
    definitions: { surveys: [], suppression: [] },
    wasAsked: false,
    isLinked: true,
  }) !== "sampling";

describe("sampling", () => {
  it.each(vectors)(
    "$respondentId in $surveyId stands at $position",
    ({ respondentId, surveyId, position }) => {
      expect(samplePosition(respondentId, surveyId)).toBeCloseTo(position, 6);
    },
  );

  it("asks all respondents without a percentage and at 100, none at 0", () => {
    for (let person = 0; person < 1000; person++) {
      expect(isSampled(`p${person}`, "s")).toBe(true);
      expect(isSampled(`p${person}`, "s", 100)).toBe(true);
      expect(isSampled(`p${person}`, "s", 0)).toBe(false);
    }
  });

  it("asks those whose position is below the percentage, and not at it", () => {
    const position = samplePosition("ann", "s1");
    expect(isSampled("ann", "s1", position)).toBe(false);
    expect(isSampled("ann", "s1", position + 1e-7)).toBe(true);
  });
});
