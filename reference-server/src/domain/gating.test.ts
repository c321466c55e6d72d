import { describe, expect, it } from "vitest";
import type { EarlierAsk, GatingRules, Suppression } from "../store/store.ts";
import { eligibility } from "./gating.ts";

// The API suite shows the other rules, by requests.

const dayInMs = 86_400_000;
const now = 100 * dayInMs;
const offered = ["a", "b"];
const ago = (days: number) => now - days * dayInMs;

interface Case {
  gating?: GatingRules;
  suppression?: Suppression[];
  asks?: EarlierAsk[];
}

function decide({ gating = {}, suppression = [], asks = [] }: Case) {
  const project = { gating, maximumBySurveyId: new Map(), everySurveyById: new Map() };
  const facts = { epoch: 1, suppression, asks, surveyIdsOfRun: new Set<string>(), responseCounts: new Map() };
  const { suppression: suppressed, eligible } = eligibility(project, { offered, facts, now, isBound: true });
  return { suppression: suppressed, eligible };
}

const never = { answeredAt: 0, dismissedAt: 0, isPermanent: false };
const answered = (surveyId: string, days: number) => ({ ...never, surveyId, answeredAt: ago(days) });
const dismissed = (surveyId: string, days: number) => ({ ...never, surveyId, dismissedAt: ago(days) });

describe("eligibility", () => {
  it("ends with an answer to the survey, however long ago", () => {
    expect(decide({ suppression: [answered("a", 99)] })).toEqual({ suppression: ["a"], eligible: ["b"] });
  });

  it("is suspended by a monthly cap that is younger than the last answers, which count once", () => {
    const gating = { monthlyCap: 2 };
    const suppression = [answered("x", 1), dismissed("y", 2)];
    expect(decide({ gating, suppression }).eligible).toEqual([]);
    const asks = [{ surveyId: "x", at: ago(1), times: 1 }];
    expect(decide({ gating, suppression: [answered("x", 1)], asks }).eligible).toEqual(offered);
  });
});
