import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { createForwarder, defineSink, type Outcome, type Sink } from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import {
  aForwarder,
  after,
  aRunningForwarder,
  delivered,
  type Given,
  refused,
  TestSink,
} from "./forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

const never = () => new Promise<never>(() => undefined);

describe("stop ends within its drain time", () => {
  it.each<[string, Given, Partial<Sink>]>([
    ["a redactor never settles", { text: never }, {}],
    ["the look-up of survey types never settles", { publishableKey: "aw_pk_x" }, {}],
    ["the sink never closes", {}, { close: never }],
  ])("although %s", async (_, options, more) => {
    const queue = Object.assign(new TestQueue([aPendingScore(1, { text: "words" })]), { surveyTypes: never });
    const { clock, forwarder, finish } = aRunningForwarder(
      queue,
      Object.assign(new TestSink(), more),
      options,
    );
    await clock.advance(100);
    const stoppedAt = clock.now();
    await finish();
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(9000);
    expect(forwarder.health().state).toBe("stopped");
  });

  it("although the queue heeds no signal", async () => {
    const queue = new TestQueue(1);
    queue.beforePage = never;
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    void forwarder.start();
    await clock.advance(100);
    const stoppedAt = clock.now();
    await clock.until(forwarder.stop());
    expect(clock.now() - stoppedAt).toBe(2000);
  });

  it("and takes back the look-up of survey types", async () => {
    const signals: AbortSignal[] = [];
    const surveyTypes = (_key: string, { signal }: { signal?: AbortSignal } = {}) => {
      signals.push(signal!);
      return never();
    };
    const queue = Object.assign(new TestQueue(1), { surveyTypes });
    const { clock, finish } = aRunningForwarder(queue, new TestSink(), { publishableKey: "aw_pk_x" });
    await clock.advance(100);
    await finish();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("a signal ends a single run whose redactor never settles, and the score is free for the next", async () => {
    const state = { isStuck: true };
    const text = (words: string) => (state.isStuck ? never() : words);
    const { clock, forwarder } = aForwarder(
      new TestQueue([aPendingScore(1, { text: "words" })]),
      new TestSink(),
      {
        text,
      },
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

describe("one that does not keep to its interface harms no score", () => {
  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw Object.assign(new Error("private words"), { name: "private words" });
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
    const { clock, forwarder } = aForwarder(new TestQueue(3), new TestSink(delivered, 3), {
      onOutcome,
      logger,
    });
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
      const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "429", afterInMs });
      const { clock, finish } = aRunningForwarder(new TestQueue(400), sink);
      await clock.advance(600_000);
      expect(sink.pushed.length).toBeLessThan(40);
      await finish();
    },
  );
});

describe("a single run", () => {
  it("begins afresh after a fatal end, and only stop is final", async () => {
    const state: { answer: Outcome } = { answer: { outcome: "fatal", reason: "401" } };
    const queue = new TestQueue(1);
    const { clock, forwarder } = aForwarder(queue, new TestSink(() => state.answer));
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("The forwarder has stopped: 401");
    expect(forwarder.health().state).toBe("failed");
    queue.states.set("score-1", "delivered");
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 0, isComplete: true });
    queue.states.set("score-1", "pending");
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
      new TestSink(() => ({ outcome: "retry", reason: "no trace yet", afterInMs: 3_600_000 })),
    );
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 3, isComplete: true });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ retried: 0, deferred: 3 });
    for (const { id } of queue.scores) queue.states.set(id, "delivered");
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 0, isComplete: true });
    expect(forwarder.health().deferred).toBe(0);
  });

  it("counts what it has done itself, and fails only if every score was refused", async () => {
    const answers: Outcome[] = [
      delivered,
      { outcome: "permanent", reason: "400" },
      { outcome: "fatal", reason: "401" },
    ];
    const queue = new TestQueue(3);
    const sink = new TestSink(({ id }) => answers[Number(id.slice("score-".length)) - 1]!);
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 1 });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, failed: 1, deferred: 1 });
    queue.states.set("score-3", "delivered");
    queue.states.set("score-2", "pending");
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 0, failed: 1, deferred: 0 });
  });

  it("ends a single run at a sink that is dead, with the scores still pending", async () => {
    const queue = new TestQueue(400);
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503" });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 1 });
    const summary = await clock.until(forwarder.runOnce());
    expect(summary).toMatchObject({ delivered: 0, isComplete: false });
    expect(summary.deferred).toBeGreaterThan(0);
    expect(sink.pushed).toHaveLength(5);
    expect(queue.count("pending")).toBe(400);
  });

  it("tries a score up to four times", async () => {
    const sink = new TestSink({ outcome: "retry", reason: "404" });
    const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 1, isComplete: true });
    expect(sink.pushed).toHaveLength(4);
  });

  it.each([
    [60_000, 1],
    [60_001, 0],
  ])(
    "waits for a sink that asks for %i ms, and delivers %i: a minute is the most",
    async (afterInMs, count) => {
      const busy: Outcome = { outcome: "retry", scope: "sink", reason: "429", afterInMs };
      const sink = new TestSink((_, attempt) => (attempt === 1 ? busy : delivered));
      const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
      expect(await clock.until(forwarder.runOnce())).toMatchObject({
        delivered: count,
        isComplete: count === 1,
      });
    },
  );

  it("waits as long as the first one, also with a score that waits since an earlier one", async () => {
    const late: Outcome = { outcome: "retry", reason: "404", afterInMs: 3_600_000 };
    const busy: Outcome = { outcome: "retry", scope: "sink", reason: "503" };
    const sink = new TestSink((_, attempt) => [late, busy][attempt - 1] ?? delivered);
    const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ deferred: 1 });
    await clock.advance(2 * 3_600_000);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, retried: 1 });
  });

  it("also when scores that could not be prepared stand between those that the sink has not taken", async () => {
    const scores = Array.from({ length: 40 }, (_, place) =>
      aPendingScore(place, { text: place % 2 ? "words" : null }),
    );
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503" });
    const text = () => {
      throw new Error("no redactor");
    };
    const { clock, forwarder } = aForwarder(new TestQueue(scores), sink, { concurrency: 1, text });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 0, isComplete: false });
    expect(sink.pushed).toHaveLength(5);
  });

  it("leaves no listeners on the caller's signal", async () => {
    const { clock, forwarder } = aForwarder(new TestQueue(0), new TestSink());
    const { signal } = new AbortController();
    for (let run = 0; run < 20; run += 1) await clock.until(forwarder.runOnce({ signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("start and stop", () => {
  it("stop lets pushes under way finish, acknowledges them and closes the sink", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(100);
    const sink = new TestSink(after(clock, 3000));
    const { forwarder, finish } = aRunningForwarder(queue, sink, { clock, concurrency: 4 });
    await clock.advance(1000);
    await finish();
    expect(sink.pushed).toHaveLength(4);
    expect(queue.count("delivered")).toBe(4);
    expect(sink.isClosed).toBe(true);
    expect(forwarder.health()).toMatchObject({ state: "stopped", delivered: 4, unacknowledged: 0 });
  });

  it("stop pushes nothing more, also where the score was being prepared", async () => {
    const clock = new TestClock();
    const text = async (words: string) => {
      await clock.sleep(500);
      return words;
    };
    const sink = new TestSink();
    const queue = new TestQueue([aPendingScore(1, { text: "words" })]);
    const { forwarder, finish } = aRunningForwarder(queue, sink, { clock, text });
    await clock.advance(100);
    await finish();
    expect(sink.pushed).toEqual([]);
    expect(forwarder.health()).toMatchObject({ state: "stopped", retried: 0, sinks: [{ pending: 0 }] });
  });

  it("stop takes at most its drain time, also when the sink hangs; the score stays pending", async () => {
    const queue = new TestQueue(1);
    const sink = defineSink({ name: "hangs", deliver: () => new Promise<Outcome[]>(() => undefined) });
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink, { drainTimeoutInMs: 9000 });
    await clock.advance(100);
    const stoppedAt = clock.now();
    await finish();
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(9000);
    expect(queue.count("pending")).toBe(1);
    expect(forwarder.health().retried).toBe(0);
  });

  it("stop aborts a call that hangs after three quarters of its drain time", async () => {
    const signals: AbortSignal[] = [];
    const deliver = (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return never();
    };
    const sink = defineSink({ name: "hangs", deliver });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), sink, {
      drainTimeoutInMs: 8000,
    });
    await clock.advance(100);
    const finished = finish();
    const stoppedAt = clock.now();
    signals[0]!.addEventListener("abort", () => expect(clock.now() - stoppedAt).toBe(6000));
    await finished;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(forwarder.health().pending).toBe(0);
  });

  it("stop while a sink refuses scores is no failure", async () => {
    const refusing = new TestSink({ outcome: "fatal", reason: "401" });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), refusing);
    await clock.advance(1000);
    await finish();
    expect(forwarder.health().state).toBe("stopped");
  });

  it("a signal ends a single run whose scores are refused, without an error", async () => {
    const refusing = new TestSink({ outcome: "fatal", reason: "401" });
    const { clock, forwarder } = aForwarder(new TestQueue(1), refusing);
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(100);
    ending.abort();
    expect(await clock.until(running)).toMatchObject({ deferred: 1, isComplete: false });
  });

  it("a signal ends a single run early, without an error", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1000);
    const { forwarder } = aForwarder(queue, new TestSink(after(clock, 100)), { clock, concurrency: 1 });
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(450);
    ending.abort();
    const summary = await clock.until(running);
    expect(summary).toMatchObject({ delivered: 5, isComplete: false });
    expect(forwarder.health().state).toBe("idle");
    expect(queue.count("delivered")).toBe(5);
  });

  it("stop ends although the sink cannot be closed, and says so without its words", async () => {
    const sink = Object.assign(new TestSink(), {
      close: async () => {
        throw Object.assign(new Error("private words"), { name: "private words" });
      },
    });
    const { forwarder, finish } = aRunningForwarder(new TestQueue(0), sink);
    await finish();
    expect(forwarder.health()).toMatchObject({
      state: "stopped",
      lastProblem: "closing sink test failed: Error",
    });
  });

  it("runs one at a time", async () => {
    const { forwarder, finish } = aRunningForwarder(new TestQueue(0), new TestSink());
    await expect(forwarder.runOnce()).rejects.toThrow("already running");
    await finish();
    await expect(forwarder.start()).rejects.toThrow("was stopped");
  });

  it("remembers between two runs what the service has not confirmed, and pushes it once", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("503");
    queue.beforeAck = () => undefined;
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ unacknowledged: 0 });
    expect([queue.count("delivered"), sink.pushed.length]).toEqual([3, 3]);
  });

  it("a single run acknowledges once more before it ends, as soon as the service allows", async () => {
    const queue = new TestQueue(1);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    const attempts: number[] = [];
    queue.beforeAck = () => {
      attempts.push(clock.now());
      const path = "/v1/sdk/pending-scores/ack";
      if (attempts.length === 1)
        throw new ApiError({ method: "POST", path, status: 503, retryAfterInMs: 7000 });
    };
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("503");
    expect(attempts.map((at) => at - attempts[0]!)).toEqual([0, 7000]);
    expect(queue.count("delivered")).toBe(1);
  });

  it("also if the sink refused it at first", async () => {
    const queue = new TestQueue(1);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const sink = new TestSink((_, attempt) =>
      attempt === 1 ? { outcome: "fatal", reason: "401" } : delivered,
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("503");
    queue.beforeAck = () => undefined;
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ unacknowledged: 0 });
    expect(sink.pushed).toHaveLength(2);
  });

  it("keeps nothing of a page that comes after the end of its run", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1);
    queue.beforePage = (poll) => (poll === 1 ? clock.sleep(500) : undefined);
    const sink = new TestSink();
    const { forwarder } = aForwarder(queue, sink, { clock });
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(100);
    ending.abort();
    expect(await clock.until(running)).toMatchObject({ isComplete: false });
    queue.states.set("score-1", "delivered");
    await clock.until(forwarder.runOnce());
    expect(sink.pushed).toEqual([]);
  });

  it("stop is no failure although it then turns out that the sink refuses everything", async () => {
    const clock = new TestClock();
    const sink = new TestSink(async () => {
      await clock.sleep(5000);
      return { outcome: "fatal", reason: "401" };
    });
    const { forwarder, finish } = aRunningForwarder(new TestQueue(50), sink, { clock, concurrency: 1 });
    await clock.advance(78_000);
    expect([forwarder.health().state, sink.running]).toEqual(["running", 1]);
    await finish();
    expect(forwarder.health().state).toBe("failed");
  });

  it("stop acknowledges what an earlier run could not", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("503");
    queue.beforeAck = () => undefined;
    await clock.until(forwarder.stop());
    expect(queue.count("delivered")).toBe(3);
    expect(forwarder.health()).toMatchObject({ state: "stopped", unacknowledged: 0 });
  });

  it("can run many times, one after the other", async () => {
    const queue = new TestQueue(1);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1 });
    queue.add(aPendingScore(2));
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1 });
    expect(forwarder.health().delivered).toBe(2);
  });

  it("await using stops it", async () => {
    const sink = new TestSink();
    {
      await using forwarder = createForwarder({ client: new TestQueue(0), sink });
      expect(forwarder.health().state).toBe("idle");
    }
    expect(sink.isClosed).toBe(true);
  });
});

describe("a clock that is set back by an hour", () => {
  it.each<[string, Outcome]>([
    ["the sink", { outcome: "retry", scope: "sink", reason: "503", afterInMs: 20_000 }],
    ["a score", { outcome: "retry", reason: "404", afterInMs: 20_000 }],
  ])("does not lengthen the pause of %s", async (_, busy) => {
    const queue = new TestQueue(1);
    const sink = new TestSink((_score, attempt) => (attempt === 1 ? busy : delivered));
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    await clock.advance(1000);
    clock.setBackByInMs = 3_600_000;
    expect(forwarder.health().waiting).toMatchObject([{ until: "2026-11-21T08:00:20.000Z" }]);
    await clock.advance(25_000);
    expect(queue.count("delivered")).toBe(1);
    await finish();
  });

  it("does not lengthen a call of the sink that hangs", async () => {
    const sink = new TestSink(never);
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), sink, { sinkTimeoutInMs: 5000 });
    await clock.advance(1000);
    clock.setBackByInMs = 3_600_000;
    await clock.advance(5000);
    expect(forwarder.health().lastProblem).toBe("sink test did not answer in time");
    await finish();
  });
});

describe("a run that has ended", () => {
  it("leaves no timer behind, although acknowledgements are left that the service does not confirm", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.runOnce())).rejects.toMatchObject({ status: 503 });
    expect(clock.sleeping).toBe(0);
    expect(forwarder.health().unacknowledged).toBe(3);
    queue.beforeAck = () => undefined;
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ unacknowledged: 0 });
    expect(queue.count("delivered")).toBe(3);
  });

  it("by stop() leaves none either", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(5000);
    await finish();
    expect(clock.sleeping).toBe(0);
  });
});

/** Time passes while the forwarder works: each look at the clock takes a while. */
class BusyClock extends TestClock {
  #passedInMs = 0;

  override monotonic(): number {
    this.#passedInMs += 900;
    return super.monotonic() + this.#passedInMs;
  }
}

describe("polling", () => {
  it("misses no moment that passes while the forwarder works", async () => {
    const queue = new TestQueue(0);
    const { clock, finish } = aRunningForwarder(queue, new TestSink(), { clock: new BusyClock() });
    for (let number = 1; number <= 30; number += 1) {
      queue.add(aPendingScore(number));
      await clock.advance(3000);
    }
    // A poll and an acknowledgement take up to an interval each.
    await clock.advance(3000);
    expect(queue.count("delivered")).toBe(30);
    await finish();
  });

  it("goes on while the sink keeps the only score of a page", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink(({ id }) => (id === "score-1" ? never() : delivered));
    const { clock, finish } = aRunningForwarder(queue, sink, { sinkTimeoutInMs: 120_000 });
    await clock.advance(1000);
    queue.add(aPendingScore(2));
    await clock.advance(5000);
    expect(queue.states.get("score-2")).toBe("delivered");
    await finish();
  });

  it("delivers a score anew that the service lists anew, as after a restore from a backup", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink();
    const { clock, finish } = aRunningForwarder(queue, sink);
    await clock.advance(10_000);
    queue.states.set("score-1", "pending");
    await clock.advance(10_000);
    await finish();
    expect([sink.pushed.length, queue.count("delivered")]).toEqual([2, 1]);
  });

  it("polls an empty queue every two seconds", async () => {
    const queue = new TestQueue(0);
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(10_000);
    expect(queue.polls).toBe(6);
    await finish();
  });

  it("finds the next score within its interval, also after a long drain and while other scores wait", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(400);
    const late: Outcome = { outcome: "retry", reason: "404", afterInMs: 50_000 };
    const sink = new TestSink(({ id }) => (id === "score-400" ? late : after(clock, 2000)()));
    const { finish } = aRunningForwarder(queue, sink, { clock, concurrency: 1, pollIntervalInMs: 2000 });
    await clock.advance(399 * 2000);
    expect(queue.count("pending")).toBe(1);
    queue.add(aPendingScore(401));
    await clock.advance(2000 + 2000 + 1000);
    expect(queue.states.get("score-401")).toBe("delivered");
    await finish();
  });

  it("does not go on at its full rate while acknowledgements fail", async () => {
    const queue = new TestQueue(1000);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink(delivered, 100));
    await clock.advance(60_000);
    const before = queue.polls;
    await clock.advance(600_000);
    // Ten pages a pass, and half a minute between two of them.
    expect(queue.polls - before).toBeLessThanOrEqual(10 * 21);
    await finish();
  });

  it("backs off when the service cannot be reached, and goes on when it can", async () => {
    const queue = new TestQueue(1);
    queue.beforePage = () => {
      throw refused(503);
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(600_000);
    expect(queue.polls).toBeLessThan(20);
    queue.beforePage = () => undefined;
    await clock.advance(60_000);
    expect(queue.count("delivered")).toBe(1);
    await finish();
  });

  it("waits as long as the service asks for", async () => {
    const queue = new TestQueue(0);
    queue.beforePage = () => {
      throw new ApiError({
        method: "GET",
        path: "/v1/sdk/pending-scores",
        status: 503,
        retryAfterInMs: 20_000,
      });
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(19_999);
    expect(queue.polls).toBe(1);
    await clock.advance(1);
    expect(queue.polls).toBe(2);
    await finish();
  });
});

describe("acknowledgements", () => {
  it("are sent at once when 200 wait", async () => {
    const queue = new TestQueue(201);
    const clock = new TestClock();
    const sink = new TestSink(({ id }) => (id === "score-1" ? after(clock, 60_000)() : delivered));
    const { finish } = aRunningForwarder(queue, sink, { clock, sinkTimeoutInMs: 120_000 });
    await clock.advance(1);
    expect(queue.count("delivered")).toBe(200);
    await finish();
  });

  it("are sent after a second when few scores come, and at the latest after the given interval", async () => {
    const queue = new TestQueue(3);
    const clock = new TestClock();
    const sink = new TestSink();
    const times: Record<string, number> = { "score-1": 0, "score-2": 600, "score-3": 60_000 };
    sink.answer = ({ id }) => after(clock, times[id]!)();
    const { finish } = aRunningForwarder(queue, sink, { clock, sinkTimeoutInMs: 120_000 });
    await clock.advance(999);
    expect(queue.count("delivered")).toBe(0);
    await clock.advance(1);
    expect(queue.count("delivered")).toBe(2);
    await finish();
  });

  it("that the service refuses for one id are split around it, and the others arrive", async () => {
    const queue = new TestQueue(9);
    queue.beforeAck = (results) => {
      if (results.some(({ id }) => id === "score-5")) throw refused(400);
    };
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    await clock.until(forwarder.runOnce());
    expect(queue.count("delivered")).toBe(8);
    expect(sink.timesPushed("score-5")).toBe(1);
    expect(forwarder.health()).toMatchObject({
      unacknowledged: 1,
      lastProblem: expect.stringContaining("400"),
    });
    // Without it in the queue, there is nothing to acknowledge.
    queue.states.set("score-5", "delivered");
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ unacknowledged: 0 });
  });

  it("lost to a crash cause at most 5,000 scores and the calls under way to be pushed again", async () => {
    const [concurrency, batchSize] = [4, 50];
    const queue = new TestQueue(5500);
    queue.beforeAck = () => {
      throw refused(503);
    };
    // Calls that are never answered are what is under way when the process ends.
    const crashed = new TestSink(
      ({ id }) => (Number(id.slice("score-".length)) > 4975 ? new Promise(() => undefined) : delivered),
      batchSize,
    );
    const { clock, forwarder } = aForwarder(queue, crashed, { concurrency });
    void forwarder.start();
    await clock.advance(20_000);
    expect(crashed.pushed.length).toBeGreaterThan(4900);
    expect(crashed.pushed.length).toBeLessThanOrEqual(5000 + concurrency * batchSize);
    queue.beforeAck = () => undefined;
    // The service gives back what the crashed one has leased.
    queue.leases.clear();
    const next = new TestSink(delivered, batchSize);
    const { clock: later, forwarder: successor } = aForwarder(queue, next);
    await later.until(successor.runOnce());
    expect(queue.count("delivered")).toBe(5500);
    expect(next.pushed).toHaveLength(5500);
  });

  it("hold back pushing when 5,000 of them could not be sent", async () => {
    const queue = new TestQueue(6000);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const sink = new TestSink(delivered, 100);
    const { clock, finish } = aRunningForwarder(queue, sink, { concurrency: 1 });
    await clock.advance(30_000);
    expect(sink.pushed).toHaveLength(5000);
    queue.beforeAck = () => undefined;
    await clock.advance(60_000);
    expect(queue.count("delivered")).toBe(6000);
    expect(sink.pushed).toHaveLength(6000);
    await finish();
  });
});
