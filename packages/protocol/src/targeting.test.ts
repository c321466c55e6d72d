import { describe, expect, it } from "vitest";
import vectors from "../vectors/targeting.json" with { type: "json" };
import { type TargetingRule } from "./survey.ts";
import { isTargeted, whyNotTargeted } from "./targeting.ts";

describe("targeting", () => {
  it.each(vectors.map((vector) => [vector.rule, vector] as const))("%s", (_, { rules, traits, targeted }) => {
    expect(isTargeted(rules as TargetingRule[], traits)).toBe(targeted);
  });

  it("matches every respondent for a survey without rules", () =>
    expect(isTargeted(undefined, {})).toBe(true));

  it("ignores properties of the prototype", () => {
    expect(isTargeted([{ trait: "toString", op: "exists" }], {})).toBe(false);
    expect(isTargeted([{ trait: "a", op: "toString" as never }], { a: 1 })).toBe(false);
  });

  it("says whether it is the rules that leave a respondent out, or that they are no list of rules", () => {
    const why = (targeting: unknown) => whyNotTargeted({ targeting: targeting as TargetingRule[] }, {});
    expect(why([{ trait: "plan", op: "exists" }])).toBe("targeting");
    expect(why([{ trait: "plan", op: "exists", value: false }])).toBeUndefined();
    expect(why("everyone")).toBe("unsupported");
  });
});
