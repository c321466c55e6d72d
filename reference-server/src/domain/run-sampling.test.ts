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
    const others = [
      sample({ sessionId: "other" }),
      sample({ observationId: "o" }),
      sample({}, half, "other"),
      sample({}, half, "s", otherKey),
    ];
    expect(new Set([sample({}), ...others].map(({ hash }) => hash)).size).toBe(5);
  });

  it("is told by a hash of 128 bits", () => expect(Buffer.from(sample({}).hash, "base64")).toHaveLength(16));
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
