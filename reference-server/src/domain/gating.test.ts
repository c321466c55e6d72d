import { describe, expect, it } from "vitest";
import { type AskFacts } from "../store/store.ts";
import { eligibility } from "./gating.ts";
import { type GatingRules } from "../store/project.ts";

const dayInMs = 86_400_000;
const now = 100 * dayInMs;
const offered = ["a", "b"];

function decide(
  rules: GatingRules,
  asks: AskFacts["asks"],
  maxima: [string, number][] = [],
  counts: [string, number][] = [],
) {
  return eligibility(
    rules,
    new Map(maxima),
    offered,
    { epoch: 1, asks, responseCounts: new Map(counts) },
    now,
  );
}

const ask = (surveyId: string, daysAgo: number, times = 1) => ({
  surveyId,
  at: now - daysAgo * dayInMs,
  times,
});

describe("eligibility", () => {
  it("is for everything when nothing is known", () => {
    expect(decide({}, [])).toEqual({ suppression: [], eligible: offered });
  });

  it("ends with an answer to the survey, however long ago, and names it once", () => {
    expect(decide({}, [ask("a", 9000), ask("a", 1)])).toEqual({ suppression: ["a"], eligible: ["b"] });
  });

  it("is suspended by the quiet period, to the millisecond", () => {
    const rules = { quietPeriodInMs: 30 * dayInMs };
    expect(decide(rules, [ask("x", 29.999)]).eligible).toEqual([]);
    expect(decide(rules, [ask("x", 30)]).eligible).toEqual(offered);
  });

  it("is suspended by the monthly cap, which counts each answer of 30 days", () => {
    const rules = { monthlyCap: 2 };
    expect(decide(rules, [ask("x", 1)]).eligible).toEqual(offered);
    expect(decide(rules, [ask("x", 1, 2)]).eligible).toEqual([]);
    expect(decide(rules, [ask("x", 1), ask("y", 2)]).eligible).toEqual([]);
    expect(decide(rules, [ask("x", 1), ask("y", 30)]).eligible).toEqual(offered);
  });

  it("ends for everybody when a survey is full", () => {
    expect(decide({}, [], [["a", 3]], [["a", 3]]).eligible).toEqual(["b"]);
    expect(decide({}, [], [["a", 3]], [["a", 2]]).eligible).toEqual(offered);
    expect(decide({}, [], [["a", 3]]).eligible).toEqual(offered);
  });
});
