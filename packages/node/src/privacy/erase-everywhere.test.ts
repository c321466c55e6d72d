import type { EraseReply } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { TestClock } from "../options/clock.fixture.ts";
import { type ErasureOutcome, defineSink } from "../scores/sink.ts";
import { ConnectionError } from "../errors/afterword-error.ts";
import { eraseEverywhere, type EraseEverywhereOptions, ErasureIncompleteError } from "./erase-everywhere.ts";

/** A person with these responses at the service, and a sink that notes when it was asked to delete which scores. */
function aPerson(...ids: string[]) {
  const clock = new TestClock();
  const startedAt = clock.now();
  const state = {
    ids,
    deletes: (_ids: string[]): ErasureOutcome => ({ outcome: "erased" }),
    isReplyLost: false,
  };
  const sweeps: { afterInMs: number; ids: string[] }[] = [];
  const sink = defineSink({
    name: "sink",
    deliver: async () => [],
    eraseScores: async (scores) => {
      const asked = scores.map(({ id }) => id);
      sweeps.push({ afterInMs: clock.now() - startedAt, ids: asked });
      return scores.map(() => state.deletes(asked));
    },
  });
  async function* rows() {
    for (const id of state.ids) yield { id, surveyId: "csat", at: "2026-11-21T08:00:00.000Z" };
  }
  const responses = {
    export: () => rows(),
    async erase() {
      const responsesDeleted = state.ids.length;
      state.ids = [];
      if (state.isReplyLost) throw new ConnectionError("The reply was lost.");
      return { responsesDeleted } as EraseReply;
    },
  };
  const erase = (options: Partial<EraseEverywhereOptions> = {}) =>
    eraseEverywhere(responses, clock, { sinks: [sink], ...options });
  return { clock, state, sweeps, erase };
}

describe("erasing beside a forwarder that may run", () => {
  it("sweeps the sinks again when none can hold a row of the person any more, and then is certain", async () => {
    const { clock, sweeps, erase } = aPerson("a", "b");
    const report = await clock.until(erase());
    expect(sweeps).toEqual([
      { afterInMs: 0, ids: ["a", "b"] },
      { afterInMs: 120_000, ids: ["a", "b"] },
    ]);
    expect(report).toMatchObject({ responseIds: ["a", "b"], certainAt: null, uncertain: "" });
  });

  it("tells before the wait what is not certain yet, and until when", async () => {
    const { clock, erase } = aPerson("a");
    const told: unknown[] = [];
    await clock.until(erase({ forwarderHoldInMs: 60_000, onErased: (report) => void told.push(report) }));
    expect(told).toEqual([
      expect.objectContaining({
        certainAt: "2026-11-21T09:01:00.000Z",
        uncertain: "A running forwarder may push these scores until 2026-11-21T09:01:00.000Z.",
        scores: [expect.objectContaining({ id: "a", surveyId: "csat" })],
        service: { responsesDeleted: 1 },
      }),
    ]);
  });

  it("is incomplete when it is interrupted, and a later call sweeps what it has named, when that is certain", async () => {
    const { clock, sweeps, erase } = aPerson("a");
    const stop = new AbortController();
    const erasing = erase({ signal: stop.signal });
    await clock.advance(50_000);
    stop.abort();
    const error: unknown = await erasing.catch((thrown: unknown) => thrown);
    if (!ErasureIncompleteError.isInstance(error)) throw new Error("It must be incomplete.");
    expect(error).toMatchObject({
      responseIds: ["a"],
      retryable: false,
      certainAt: "2026-11-21T09:02:00.000Z",
    });
    expect(error.message).toContain("may push scores of this person until 2026-11-21T09:02:00.000Z");
    await clock.advance(10_000);
    expect(await clock.until(erase({ earlier: error }))).toMatchObject({
      responseIds: ["a"],
      certainAt: null,
    });
    expect(sweeps.at(-1)).toEqual({ afterInMs: 120_000, ids: ["a"] });
  });

  it("is incomplete when onErased fails, and names its error without its words", async () => {
    const onErased = () => Promise.reject(new TypeError("jo@example.com"));
    await expect(aPerson("a").erase({ onErased })).rejects.toThrow(/hand\. onErased failed: TypeError\.$/);
  });

  it("is incomplete when a sink fails behind the service, and a later call sweeps it again", async () => {
    const { clock, state, sweeps, erase } = aPerson("a");
    state.deletes = () => (sweeps.length > 1 ? { outcome: "failed", reason: "401" } : { outcome: "erased" });
    const error = await clock.until(erase()).catch((thrown: unknown) => thrown as ErasureIncompleteError);
    expect(error).toMatchObject({ responseIds: ["a"], retryable: false, certainAt: null });
    expect(error).toMatchObject({ service: { responsesDeleted: 1 } });
    expect(error).not.toHaveProperty("cause");
    state.deletes = () => ({ outcome: "erased" });
    const startedAt = clock.now();
    const { scores, certainAt } = error as ErasureIncompleteError;
    expect(await clock.until(erase({ earlier: { scores, certainAt } }))).toMatchObject({
      responseIds: ["a"],
    });
    expect(clock.now()).toBe(startedAt);
  });

  it("is incomplete when the service's reply is lost, and a later call waits and sweeps what it has named", async () => {
    const { clock, state, sweeps, erase } = aPerson("a");
    state.isReplyLost = true;
    const error = await clock.until(erase()).catch((thrown: unknown) => thrown as ErasureIncompleteError);
    expect(error).toMatchObject({
      responseIds: ["a"],
      retryable: false,
      service: undefined,
      certainAt: "2026-11-21T09:02:00.000Z",
      cause: { name: "ConnectionError" },
    });
    expect((error as Error).message).toContain("Whether the service has erased its part is unknown");
    state.isReplyLost = false;
    await clock.until(erase({ earlier: error as ErasureIncompleteError }));
    expect(sweeps.at(-1)).toEqual({ afterInMs: 120_000, ids: ["a"] });
  });

  it("says no moment to wait for when no forwarder runs and the reply is lost", async () => {
    const { clock, state, erase } = aPerson("a");
    state.isReplyLost = true;
    await expect(clock.until(erase({ forwarderHoldInMs: 0 }))).rejects.toThrow(
      /^Whether the service has erased/,
    );
  });

  it("fails as the service does when there is nothing to delete at the sinks", async () => {
    const { clock, state, erase } = aPerson();
    state.isReplyLost = true;
    await expect(clock.until(erase())).rejects.toThrow(ConnectionError);
  });

  it("still waits for what an earlier call has named when a sink fails at first", async () => {
    const { clock, state, sweeps, erase } = aPerson();
    const earlier = {
      scores: [{ id: "a", surveyId: "csat", at: null, name: null }],
      certainAt: "2026-11-21T09:02:00.000Z",
    };
    state.deletes = () => ({ outcome: "failed", reason: "401" });
    const error = await clock.until(erase({ earlier })).catch((thrown: unknown) => thrown as never);
    expect(error).toMatchObject({ retryable: true, certainAt: earlier.certainAt });
    state.deletes = () => ({ outcome: "erased" });
    await clock.until(erase({ earlier: error }));
    expect(sweeps.at(-1)).toEqual({ afterInMs: 120_000, ids: ["a"] });
  });

  it("does not call it a success without a word when nothing was found to sweep", async () => {
    const { clock, erase } = aPerson();
    const report = await clock.until(erase());
    expect(report.uncertain).toMatch(/^No response was found, so nothing was deleted at the sinks\./);
  });

  it("tells of responses that came in between the export and the erasure: their ids are not known", async () => {
    const { clock, state, erase } = aPerson("a");
    state.deletes = () => {
      if (state.ids.length > 0) state.ids = ["a", "late"];
      return { outcome: "erased" };
    };
    const report = await clock.until(erase());
    expect(report.uncertain).toBe(
      "1 responses arrived meanwhile: their scores were not deleted at the sinks.",
    );
  });

  it("is incomplete at a sink that never answers, after five calls of 30 seconds, and erases nothing at the service", async () => {
    const { clock, state, erase } = aPerson("a");
    const calls: number[] = [];
    const silent = defineSink({
      name: "silent",
      deliver: async () => [],
      eraseScores: () => {
        calls.push(clock.now());
        return new Promise(() => undefined);
      },
    });
    const erasing = clock.until(erase({ sinks: [silent] }));
    await expect(erasing).rejects.toThrow("silent: did not answer in time");
    expect(calls).toHaveLength(5);
    expect(clock.now() - calls.at(-1)!).toBe(30_000);
    expect(state.ids).toEqual(["a"]);
  });

  it("waits for nothing when no forwarder runs", async () => {
    const { clock, sweeps, erase } = aPerson("a");
    await clock.until(erase({ forwarderHoldInMs: 0 }));
    expect(sweeps.map(({ afterInMs }) => afterInMs)).toEqual([0, 0]);
  });
});
