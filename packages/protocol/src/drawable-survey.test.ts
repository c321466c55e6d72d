import { describe, expect, it } from "vitest";
import { isDrawable } from "./drawable-survey.ts";
import { surveyDefinition } from "./survey.ts";

const least = { id: "s", slug: "s", type: "nps", question: "Well?", presentation: "corner", trigger: "auto" };
const most = {
  ...least,
  followUpQuestion: "Why?",
  corner: "top-left",
  delayMs: 5000,
  samplePercent: 50,
  targeting: [{ trait: "plan", op: "eq", value: { any: ["thing"] } }],
  showBadge: true,
  endLabels: { low: "bad" },
};
const element = { type: "script", props: { children: "alert(1)" } };
const oddities = [element, [element], ["csat"], {}, 7, "unknown", true, null];

describe("a survey that a client can render", () => {
  it.each([least, most, { ...most, unknown: element }])("fits the contract: %j", (survey) => {
    expect(surveyDefinition.safeParse(survey).success).toBe(true);
    expect(isDrawable(survey)).toBe(true);
  });

  it("may have null for any optional field", () => {
    const optional = Object.keys(most).filter((name) => !(name in least));
    expect(isDrawable({ ...most, ...Object.fromEntries(optional.map((name) => [name, null])) })).toBe(true);
  });

  it.each([undefined, null, "survey", 7, [], {}])("is not %j", (value) =>
    expect(isDrawable(value)).toBe(false),
  );

  it.each(["slug", "type", "question", "followUpQuestion", "presentation"] as const)(
    "has a %s as the schema wants it, or null",
    (name) => {
      for (const value of oddities) {
        const survey = { ...most, [name]: value };
        const isValid = surveyDefinition.safeParse(survey).success;
        const isAbsent = value === null && !(name in least);
        expect([value, isDrawable(survey)]).toEqual([value, isValid || isAbsent]);
      }
    },
  );

  it.each(["low", "high"])("has a string as the label of the %s end", (end) => {
    for (const value of [element, ["text"], 7, true]) {
      expect([value, isDrawable({ ...most, endLabels: { [end]: value } })]).toEqual([value, false]);
    }
  });
});
