import { describe, expect, it } from "vitest";
import type { ErasureOutcome, Sink } from "./sink.ts";
import { safeDeliver, safeErase } from "./safe-sink.ts";
import { untilAborted } from "../sinks/score.fixture.ts";

const scores = ["a", "b"].map((id) => ({ id, surveyId: null, name: "afterword.srv_csat", at: null }));
const ask = (eraseScores?: Sink["eraseScores"]) =>
  safeErase({ name: "far", deliver: async () => [], eraseScores }, scores, untilAborted());

describe("asking a sink to erase", () => {
  it("gives what it answers, one for each score", async () => {
    const outcomes: ErasureOutcome[] = [{ outcome: "erased" }, { outcome: "failed", reason: "503" }];
    expect(await ask(async () => outcomes)).toEqual(outcomes);
  });

  it("says that it has to be done by hand where the sink cannot", async () => {
    const outcome = { outcome: "unsupported", reason: "far: scores can only be deleted by hand" };
    expect(await ask()).toEqual([outcome, outcome]);
  });

  it.each<[string, () => unknown]>([
    ["too little", async () => [{ outcome: "erased" }]],
    ["too much", async () => Array.from({ length: 3 }, () => ({ outcome: "erased" }))],
    ["nothing", async () => undefined],
  ])("takes nothing for erased when it answers %s", async (_, eraseScores) => {
    const outcome = { outcome: "failed", reason: "far: must return one outcome for each of 2 scores" };
    expect(await ask(eraseScores as Sink["eraseScores"])).toEqual([outcome, outcome]);
  });

  it("takes no score for erased of which it answers something else", async () => {
    const outcomes = [{ outcome: "gone" }, undefined] as never;
    const outcome = { outcome: "failed", reason: "far: returned no valid outcome" };
    expect(await ask(async () => outcomes)).toEqual([outcome, outcome]);
  });

  it.each<[string, Sink["eraseScores"]]>([
    ["rejects", () => Promise.reject(new TypeError("jo@example.com"))],
    [
      "throws",
      () => {
        throw new TypeError("jo@example.com");
      },
    ],
  ])("tells that it %s, without what it says, which may quote a person", async (_, eraseScores) => {
    const outcome = {
      outcome: "failed",
      reason: expect.stringMatching(/^far: threw TypeError at .*test\.ts:\d+/),
    };
    expect(await ask(eraseScores)).toEqual([outcome, outcome]);
  });
});

it("a score without a valid outcome is tried again, and shows nothing of the sink", async () => {
  const sink = { name: "far", deliver: async () => [{ outcome: "delivered" }, undefined] } as unknown as Sink;
  const outcome = { outcome: "retry", reason: "sink far returned no valid outcome" };
  const outcomes = await safeDeliver(sink, scores as never, untilAborted());
  expect(outcomes).toEqual([{ outcome: "delivered" }, outcome]);
});
