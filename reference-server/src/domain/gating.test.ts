import { describe, expect, it } from "vitest";
import type { AskAgain, EarlierAsk, GatingRules, Suppression } from "../store/store.ts";
import { eligibility } from "./gating.ts";

const dayInMs = 86_400_000;
const now = 100 * dayInMs;
const offered = ["a", "b"];
const ago = (days: number) => now - days * dayInMs;

interface Case {
  gating?: GatingRules;
  /** Of the survey `a`. */
  askAgain?: AskAgain;
  unprompted?: boolean;
  suppression?: Suppression[];
  asks?: EarlierAsk[];
  run?: string[];
  isBound?: boolean;
  maximum?: number;
  responses?: number;
}

function decide(given: Case) {
  const { gating = {}, askAgain, unprompted, suppression = [], asks = [], run = [], isBound = true } = given;
  const { maximum, responses } = given;
  const project = {
    gating,
    maximumBySurveyId: new Map(maximum === undefined ? [] : [["a", maximum]]),
    everySurveyById: new Map([["a", { askAgain, unprompted }]]),
  };
  const responseCounts = new Map(responses === undefined ? [] : [["a", responses]]);
  const facts = { epoch: 1, suppression, asks, surveyIdsOfRun: new Set(run), responseCounts };
  const { suppression: suppressed, eligible } = eligibility(project, { offered, facts, now, isBound });
  return { suppression: suppressed, eligible };
}

const never = { answeredAt: 0, dismissedAt: 0, isPermanent: false };
const answered = (surveyId: string, days: number) => ({ ...never, surveyId, answeredAt: ago(days) });
const dismissed = (surveyId: string, days: number) => ({ ...never, surveyId, dismissedAt: ago(days) });
const erased = (surveyId: string, days: number) => ({ ...answered(surveyId, days), isPermanent: true });
const ask = (surveyId: string, days: number, times = 1) => ({ surveyId, at: ago(days), times });

describe("eligibility", () => {
  it("is for everything when nothing is known", () => {
    expect(decide({})).toEqual({ suppression: [], eligible: offered });
  });

  it("ends with an answer to the survey, however long ago", () => {
    expect(decide({ suppression: [answered("a", 99)] })).toEqual({ suppression: ["a"], eligible: ["b"] });
  });

  it("is suspended by the quiet period, to the millisecond", () => {
    const gating = { quietPeriodInMs: 30 * dayInMs };
    expect(decide({ gating, suppression: [answered("x", 29.999)] }).eligible).toEqual([]);
    expect(decide({ gating, suppression: [dismissed("x", 29.999)] }).eligible).toEqual([]);
    expect(decide({ gating, suppression: [answered("x", 30)] }).eligible).toEqual(offered);
  });

  it("is suspended by the monthly cap, which counts each answer of 30 days", () => {
    const gating = { monthlyCap: 2 };
    expect(decide({ gating, asks: [ask("x", 1)] }).eligible).toEqual(offered);
    expect(decide({ gating, asks: [ask("x", 1, 2)] }).eligible).toEqual([]);
    expect(decide({ gating, asks: [ask("x", 1), ask("y", 2)] }).eligible).toEqual([]);
    expect(decide({ gating, asks: [ask("x", 1), ask("y", 30)] }).eligible).toEqual(offered);
  });

  it("is suspended by a monthly cap that is younger than the last answers, which count once", () => {
    const gating = { monthlyCap: 2 };
    const suppression = [answered("x", 1), dismissed("y", 2)];
    expect(decide({ gating, suppression }).eligible).toEqual([]);
    expect(decide({ gating, suppression: [answered("x", 1)], asks: [ask("x", 1)] }).eligible).toEqual(
      offered,
    );
  });

  it("ends for everybody when a survey is full", () => {
    expect(decide({ maximum: 3, responses: 3 }).eligible).toEqual(["b"]);
    expect(decide({ maximum: 3, responses: 2 }).eligible).toEqual(offered);
    expect(decide({ maximum: 3 }).eligible).toEqual(offered);
  });
});

describe("a survey that asks again after a time", () => {
  const askAgain = { afterInMs: 10 * dayInMs, afterDismissalInMs: 20 * dayInMs };

  it("leaves suppression when both times have passed, to the millisecond", () => {
    const suppressed = (one: Suppression) => decide({ askAgain, suppression: [one] }).suppression;
    expect(suppressed(answered("a", 9.999))).toEqual(["a"]);
    expect(suppressed(answered("a", 10))).toEqual([]);
    expect(suppressed(dismissed("a", 19.999))).toEqual(["a"]);
    expect(suppressed(dismissed("a", 20))).toEqual([]);
    expect(suppressed({ ...answered("a", 15), dismissedAt: ago(15) })).toEqual(["a"]);
  });

  it("stays in it for good once the person was erased", () => {
    const suppression = [erased("a", 99)];
    expect(decide({ askAgain, suppression })).toEqual({ suppression: ["a"], eligible: ["b"] });
  });
});

describe("a survey that asks in each run", () => {
  const askAgain = { eachRun: true, afterDismissalInMs: 7 * dayInMs } as const;

  it("is asked in any run but those in which it was answered", () => {
    const suppression = [answered("a", 0)];
    expect(decide({ askAgain, suppression })).toEqual({ suppression: [], eligible: offered });
    expect(decide({ askAgain, suppression, run: ["a"] })).toEqual({ suppression: ["a"], eligible: ["b"] });
    expect(decide({ askAgain, suppression, run: ["b"] })).toEqual({ suppression: [], eligible: offered });
  });

  it("is asked in no run for a while after a dismissal", () => {
    expect(decide({ askAgain, suppression: [dismissed("a", 6.999)] }).suppression).toEqual(["a"]);
    expect(decide({ askAgain, suppression: [dismissed("a", 7)] }).eligible).toEqual(offered);
  });

  it("never gets an unbound token, and bootstrap never suppresses it", () => {
    const unbound = decide({ askAgain, isBound: false, suppression: [dismissed("a", 0)], run: ["a"] });
    expect(unbound).toEqual({ suppression: [], eligible: ["b"] });
  });

  it("is suppressed everywhere once the person was erased", () => {
    for (const isBound of [true, false])
      expect(decide({ askAgain, isBound, suppression: [erased("a", 99)] }).suppression).toEqual(["a"]);
  });
});

describe("an unprompted survey", () => {
  const gating = { quietPeriodInMs: 30 * dayInMs, monthlyCap: 1 };

  it("is asked whatever quiet period and monthly cap say, and no more than its maximum", () => {
    const given = { gating, unprompted: true, suppression: [answered("x", 1)], asks: [ask("x", 1)] };
    expect(decide(given).eligible).toEqual(["a"]);
    expect(decide({ ...given, maximum: 1, responses: 1 }).eligible).toEqual([]);
  });

  it("counts for neither of them", () => {
    const given = { gating, suppression: [dismissed("a", 1)], asks: [ask("a", 1)] };
    expect(decide({ ...given, unprompted: true }).eligible).toEqual(["b"]);
    expect(decide(given).eligible).toEqual([]);
  });
});
