import { describe, expect, it } from "vitest";
import { type AskAgain, type AskFacts, type GatingRules, type Suppression } from "../store/store.ts";
import { eligibility, isEachRun, type GatedProject } from "./gating.ts";

const dayInMs = 24 * 3_600_000;
const monthInMs = 30 * dayInMs;
const now = Date.parse("2026-03-01T12:00:00.000Z");
const nothing: AskFacts = {
  suppression: [],
  asks: [],
  surveyIdsOfRun: new Set(),
  responseCounts: new Map(),
};
const sampling = { probability: 0.5 };
const eachRun: AskAgain = { eachRun: true, afterDismissalInMs: 10 * dayInMs };
const afterTimes: AskAgain = { afterInMs: 5 * dayInMs, afterDismissalInMs: 10 * dayInMs };

const everySurveyById: GatedProject["everySurveyById"] = new Map([
  ["once", {}],
  ["again", { askAgain: afterTimes }],
  ["run", { askAgain: eachRun }],
  ["free", { unprompted: true }],
  ["sampled", { sampling }],
]);
const projectWith = (gating: GatingRules): GatedProject => ({ gating, everySurveyById });
const open = projectWith({});
/** What happened to a survey, and how long ago. */
const was = (surveyId: string, times: { answered?: number; dismissed?: number }): Suppression => ({
  surveyId,
  answeredAt: times.answered === undefined ? 0 : now - times.answered,
  dismissedAt: times.dismissed === undefined ? 0 : now - times.dismissed,
  isPermanent: false,
});
const ask = (
  project: GatedProject,
  offered: string[],
  facts: Partial<AskFacts> = {},
  { isBound = false } = {},
) => eligibility(project, { offered, facts: { ...nothing, ...facts }, now, isBound });
const isAsked = (...given: Parameters<typeof ask>) => ask(...given).eligible.length > 0;

describe("a survey that a person has answered or dismissed", () => {
  it("is never asked again without a policy, nor once an erasure has made that permanent", () => {
    expect(ask(open, ["once"], { suppression: [was("once", { answered: monthInMs })] })).toEqual({
      suppression: ["once"],
      eligible: [],
      withheld: [["once", "gated"]],
    });
    const erased = { ...was("again", {}), isPermanent: true };
    expect(isAsked(open, ["again"], { suppression: [erased] })).toBe(false);
    expect(isAsked(open, ["gone"], { suppression: [was("gone", { answered: 1 })] })).toBe(false);
  });

  it("withholds no other survey", () =>
    expect(ask(open, ["once", "free"], { suppression: [was("once", { answered: 1 })] })).toEqual({
      suppression: ["once"],
      eligible: ["free"],
      withheld: [["once", "gated"]],
    }));

  it.each([
    [{ answered: 5 * dayInMs - 1 }, false],
    [{ answered: 5 * dayInMs }, true],
    [{ dismissed: 10 * dayInMs - 1 }, false],
    [{ dismissed: 10 * dayInMs }, true],
    [{ answered: 5 * dayInMs, dismissed: 1 }, false],
  ])("is asked again once both times have passed: %j ago", (times, asked) =>
    expect(isAsked(open, ["again"], { suppression: [was("again", times)] })).toBe(asked),
  );
});

describe("a survey that is asked in each run", () => {
  const inRun = (times: { answered?: number; dismissed?: number }, runs: string[] = [], isBound = true) =>
    ask(open, ["run"], { suppression: [was("run", times)], surveyIdsOfRun: new Set(runs) }, { isBound });

  it("is asked again in another run, but not in the same one", () => {
    expect(inRun({ answered: 1 }).eligible).toEqual(["run"]);
    expect(inRun({ answered: 1 }, ["run"]).suppression).toEqual(["run"]);
    expect(inRun({ answered: 1 }, ["run"]).eligible).toEqual([]);
  });

  it("is not asked soon after a dismissal", () => {
    expect(inRun({ dismissed: 10 * dayInMs - 1 }).eligible).toEqual([]);
    expect(inRun({ dismissed: 10 * dayInMs }).eligible).toEqual(["run"]);
  });

  it("is not listed as suppressed where no run is known", () =>
    expect(inRun({ dismissed: 1 }, ["run"], false)).toEqual({
      suppression: [],
      eligible: [],
      withheld: [["run", "gated"]],
    }));

  it("is one whose policy says so", () => {
    const settings = ["run", "again", "once", "gone"].map((id) => everySurveyById.get(id));
    expect(settings.map(isEachRun)).toEqual([true, false, false, false]);
  });
});

it.each(["run", "sampled"])("a survey that is about runs (%s) is asked with a run alone", (surveyId) => {
  expect(isAsked(open, [surveyId])).toBe(false);
  expect(isAsked(open, [surveyId], {}, { isBound: true })).toBe(true);
});

describe("the quiet period", () => {
  const quiet = projectWith({ quietPeriodInMs: dayInMs });

  it.each(["answered", "dismissed"] as const)("begins when a survey is %s, and ends", (what) => {
    const after = (ago: number) => isAsked(quiet, ["once"], { suppression: [was("again", { [what]: ago })] });
    expect([after(dayInMs - 1), after(dayInMs)]).toEqual([false, true]);
  });

  it("neither begins with an unprompted survey nor withholds one", () => {
    const freely = { suppression: [was("free", { answered: 1 })] };
    expect(isAsked(quiet, ["once"], freely)).toBe(true);
    expect(isAsked(quiet, ["free"], { suppression: [was("once", { answered: 1 })] })).toBe(true);
  });

  it("is not begun by a person who has answered nothing, and lasts after a survey is gone", () => {
    expect(isAsked(quiet, ["once"])).toBe(true);
    expect(isAsked(quiet, ["once"], { suppression: [was("gone", { answered: 1 })] })).toBe(false);
  });
});

describe("the monthly cap", () => {
  const capped = projectWith({ monthlyCap: 2 });
  const earlier = (surveyId: string, ago: number, times = 1) => ({ surveyId, at: now - ago, times });

  it("counts answers, dismissals and earlier asks of 30 days, each once", () => {
    const answer = was("again", { answered: 1 });
    expect(isAsked(capped, ["once"], { suppression: [answer] })).toBe(true);
    expect(isAsked(capped, ["once"], { suppression: [answer], asks: [earlier("again", 1)] })).toBe(true);
    expect(isAsked(capped, ["once"], { suppression: [answer], asks: [earlier("again", 2)] })).toBe(false);
    expect(isAsked(capped, ["once"], { suppression: [was("again", { answered: 1, dismissed: 2 })] })).toBe(
      false,
    );
  });

  it("counts asks of one survey within a millisecond as often as there were", () =>
    expect(isAsked(capped, ["once"], { asks: [earlier("again", 1, 2)] })).toBe(false));

  it("forgets after 30 days, and never counts unprompted surveys", () => {
    const asks = (...more: ReturnType<typeof earlier>[]) => ({ asks: [earlier("again", 1), ...more] });
    expect(isAsked(capped, ["once"], asks(earlier("again", monthInMs - 1)))).toBe(false);
    expect(isAsked(capped, ["once"], asks(earlier("again", monthInMs)))).toBe(true);
    expect(isAsked(capped, ["once"], asks(earlier("free", 1)))).toBe(true);
  });

  it("does not count where there is none", () =>
    expect(isAsked(open, ["once"], { asks: [earlier("again", 1, 9)] })).toBe(true));
});

describe("the maximum of a survey", () => {
  const full = projectWith({ surveyMaximum: 3 });
  const withCount = (count: number) => ask(full, ["free"], { responseCounts: new Map([["free", count]]) });

  it("withholds it once it has as many responses, with that reason", () => {
    expect(withCount(2).eligible).toEqual(["free"]);
    expect(withCount(3).withheld).toEqual([["free", "maximum"]]);
    expect(isAsked(full, ["free"])).toBe(true);
  });

  it("is not the reason where gating is", () => {
    const facts = {
      suppression: [was("free", { answered: 1 })],
      responseCounts: new Map([["free", 3]]),
    };
    expect(ask(full, ["free"], facts).withheld).toEqual([["free", "gated"]]);
  });
});
