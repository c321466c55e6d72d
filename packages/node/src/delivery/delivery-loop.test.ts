import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createForwarder, defineSink, type ForwarderOptions, type Outcome, type Sink } from "../forwarder.ts";
import { TestClock } from "./clock.fixture.ts";
import { aRow, TestQueue } from "./score-queue.fixture.ts";
import { noTelemetry } from "./telemetry.ts";

type Answer = (id: string) => Outcome;

const delivered: Outcome = { outcome: "delivered" };
const never = () => new Promise<never>(() => undefined);

function aSink(answer: Answer, more: Partial<Sink> = {}): Sink {
  return defineSink({
    name: "test",
    deliver: async (scores) => scores.map(({ id }) => answer(id)),
    ...more,
  });
}

function aForwarder(queue: TestQueue, sink: Sink, options: Partial<ForwarderOptions> = {}) {
  const clock = new TestClock();
  const given = { client: queue, sink, clock, random: () => 1, telemetry: noTelemetry, ...options };
  return { clock, forwarder: createForwarder(given) };
}

describe("stop ends within its drain time", () => {
  it.each<[string, Partial<ForwarderOptions>, Partial<Sink>]>([
    ["a redactor never settles", { text: never }, {}],
    ["the look-up of survey types never settles", { publishableKey: "aw_pk_x" }, {}],
    ["the sink never closes", {}, { close: never }],
  ])("although %s", async (_, options, more) => {
    const queue = Object.assign(new TestQueue([aRow(1, { text: "words" })]), { surveyTypes: never });
    const { clock, forwarder } = aForwarder(
      queue,
      aSink(() => delivered, more),
      options,
    );
    const running = forwarder.start();
    await clock.advance(100);
    const stoppedAt = clock.now();
    await clock.until(forwarder.stop());
    await running;
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(9000);
    expect(forwarder.health().state).toBe("stopped");
  });

  it("although the queue heeds no signal", async () => {
    const queue = new TestQueue(1);
    queue.beforePage = never;
    const { clock, forwarder } = aForwarder(
      queue,
      aSink(() => delivered),
    );
    void forwarder.start();
    await clock.advance(100);
    const stoppedAt = clock.now();
    await clock.until(forwarder.stop());
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(9000);
  });

  it("and takes back the look-up of survey types", async () => {
    const signals: AbortSignal[] = [];
    const surveyTypes = (_key: string, { signal }: { signal?: AbortSignal } = {}) => {
      signals.push(signal!);
      return never();
    };
    const queue = Object.assign(new TestQueue(1), { surveyTypes });
    const { clock, forwarder } = aForwarder(
      queue,
      aSink(() => delivered),
      { publishableKey: "aw_pk_x" },
    );
    const running = forwarder.start();
    await clock.advance(100);
    await clock.until(forwarder.stop());
    await running;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("a signal ends a single run whose redactor never settles, and the row is free for the next", async () => {
    const state = { isStuck: true };
    const text = (words: string) => (state.isStuck ? never() : words);
    const { clock, forwarder } = aForwarder(
      new TestQueue([aRow(1, { text: "words" })]),
      aSink(() => delivered),
      { text },
    );
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(100);
    ending.abort();
    expect(await clock.until(running)).toMatchObject({ delivered: 0, isComplete: false });
    state.isStuck = false;
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, isComplete: true });
  });
});

describe("one that does not keep to its interface harms no row", () => {
  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("private words");
      },
    ],
    ["rejects", () => Promise.reject(new Error("private words"))],
  ])("an onOutcome that %s is logged", async (_, onOutcome) => {
    const warnings: string[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (text: string) => warnings.push(text),
    };
    const { clock, forwarder } = aForwarder(
      new TestQueue(3),
      aSink(() => delivered, { batchSize: 3 }),
      { onOutcome, logger },
    );
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 3, isComplete: true });
    expect(warnings).toEqual(Array.from({ length: 3 }, () => "onOutcome failed: Error"));
  });

  it("a sink that answers without a promise has delivered", async () => {
    const deliver = (() => [delivered]) as unknown as Sink["deliver"];
    const { clock, forwarder } = aForwarder(new TestQueue(2), { name: "at once", deliver });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, retried: 0 });
  });

  it.each([0, -60_000, Number.NaN])(
    "a sink that asks to be called again after %i ms is not hammered",
    async (afterInMs) => {
      const calls: string[] = [];
      const sink = aSink((id) => {
        calls.push(id);
        return { outcome: "retry", scope: "sink", reason: "429", afterInMs };
      });
      const { clock, forwarder } = aForwarder(new TestQueue(400), sink);
      const running = forwarder.start();
      await clock.advance(600_000);
      expect(calls.length).toBeLessThan(40);
      await clock.until(forwarder.stop());
      await running;
    },
  );
});

describe("a single run", () => {
  it("begins afresh after a fatal end, and only stop is final", async () => {
    const state: { answer: Outcome } = { answer: { outcome: "fatal", reason: "401" } };
    const { clock, forwarder } = aForwarder(
      new TestQueue(1),
      aSink(() => state.answer),
    );
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("The forwarder has stopped: 401");
    expect(forwarder.health().state).toBe("failed");
    state.answer = delivered;
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, isComplete: true });
    expect(forwarder.health().state).toBe("idle");
    await clock.until(forwarder.stop());
    await expect(forwarder.runOnce()).rejects.toThrow("was stopped");
  });

  it("counts as deferred what it put off or met before its time, and nothing that is gone", async () => {
    const queue = new TestQueue(3);
    const { clock, forwarder } = aForwarder(
      queue,
      aSink(() => ({ outcome: "retry", reason: "no trace yet", afterInMs: 3_600_000 })),
    );
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 3, isComplete: true });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ retried: 0, deferred: 3 });
    for (const { id } of queue.rows) queue.states.set(id, "delivered");
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 0, isComplete: true });
    expect(forwarder.health().deferred).toBe(0);
  });

  it("leaves no listeners on the caller's signal", async () => {
    const { clock, forwarder } = aForwarder(
      new TestQueue(0),
      aSink(() => delivered),
    );
    const { signal } = new AbortController();
    for (let run = 0; run < 20; run += 1) await clock.until(forwarder.runOnce({ signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
