import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Sampling } from "../store/project.ts";
import { sampledAs } from "./run-sampling.ts";

const pepper = createSecretKey(Buffer.alloc(32, 1));
const half: Sampling = { probability: 0.5 };
const sample = (run: object, sampling = half, surveyId = "s", key = pepper) =>
  sampledAs(key, surveyId, sampling, { sessionId: "run", ...run });
const share = (probability: number, runs = 2000) =>
  Array.from({ length: runs }, (_, run) => sample({ sessionId: `${run}` }, { probability })).filter(
    ({ isAsked }) => isAsked,
  ).length / runs;

describe("the sample of a survey", () => {
  it("has no run with a probability of 0, every run with 1, and about as many as the probability says between", () => {
    expect([share(0), share(1)]).toEqual([0, 1]);
    // Four standard deviations; the key is fixed, so this either always holds or never does.
    expect(Math.abs(share(0.3) - 0.3)).toBeLessThan(4 * Math.sqrt((0.3 * 0.7) / 2000));
  });

  it("has a run again whenever it is minted again", () =>
    expect(sample({ observationId: "o" })).toEqual(sample({ observationId: "o" })));

  it("is drawn anew for another session, observation, survey or project", () => {
    const otherKey = createSecretKey(Buffer.alloc(32, 2));
    const asked = (run: object, surveyId = "s", key = pepper) =>
      Array.from(
        { length: 64 },
        (_, of) => +sample({ ...run, sessionId: `${of}` }, half, surveyId, key).isAsked,
      );
    const draws = [asked({}), asked({ observationId: "o" }), asked({}, "other"), asked({}, "s", otherKey)];
    expect(new Set(draws.map((draw) => draw.join(""))).size).toBe(4);
    expect(new Set(draws[0]).size).toBe(2);
  });
});

describe("the stratum of a run", () => {
  const stratified: Sampling = {
    probability: 0.1,
    strata: [
      { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 },
      { name: "long", when: [{ trait: "steps", op: "gt", value: 9 }], probability: 0 },
    ],
  };
  const drawOf = (facts?: object) => sample({ facts }, stratified).draw;

  it("is the first whose rules its facts match, whose probability then counts", () => {
    expect(drawOf({ outcome: "failed", steps: 10 })).toEqual({ stratum: "failed", samplingProbability: 1 });
    expect(drawOf({ outcome: "done", steps: 10 })).toEqual({ stratum: "long", samplingProbability: 0 });
  });

  it("is none where no rules match, and the survey's own probability counts", () => {
    const draw = { stratum: undefined, samplingProbability: 0.1 };
    expect([drawOf({ steps: 9 }), drawOf(), sample({}, { probability: 0.1 }).draw]).toEqual([
      draw,
      draw,
      draw,
    ]);
  });

  it("decides whether the run is asked about", () => {
    expect(sample({ facts: { outcome: "failed" } }, stratified).isAsked).toBe(true);
    expect(sample({ facts: { steps: 10 } }, stratified).isAsked).toBe(false);
  });
});
