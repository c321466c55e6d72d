import { describe, expect, it } from "vitest";
import vectors from "../vectors/sampling.json" with { type: "json" };
import { isSampled, samplePosition } from "./sampling.ts";

describe("sampling", () => {
  it.each(vectors)(
    "$respondentId in $surveyId stands at $position",
    ({ respondentId, surveyId, position }) => {
      expect(samplePosition(respondentId, surveyId)).toBeCloseTo(position, 6);
    },
  );

  it("gives the same respondent and survey the same answer", () => {
    expect(samplePosition("ann", "s1")).toBe(samplePosition("ann", "s1"));
    expect(samplePosition("ann", "s1")).not.toBe(samplePosition("ann", "s2"));
  });

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

  it.each([1, 10, 50, 90])("asks about %i percent of respondents", (percent) => {
    const people = 20_000;
    let asked = 0;
    for (let person = 0; person < people; person++)
      if (isSampled(`person-${person}`, "survey", percent)) asked++;
    // Five standard deviations of a fair draw; the hash is fixed, so this either always holds or never does.
    const tolerance = 5 * Math.sqrt(people * (percent / 100) * (1 - percent / 100));
    expect(Math.abs(asked - (people * percent) / 100)).toBeLessThan(tolerance);
  });
});
