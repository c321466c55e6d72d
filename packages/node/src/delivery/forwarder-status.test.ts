import { describe, expect, it } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { fanOut, type Outcome } from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import type { Logger } from "../options/logger.ts";
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

describe("health", () => {
  it("shows the age of the oldest pending score as lag, and zero for an empty queue", async () => {
    const queue = new TestQueue([aPendingScore(1, { at: "2026-11-21T08:58:30.000Z" })]);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    expect(forwarder.health()).toMatchObject({ state: "idle", lagInMs: null });
    await clock.until(forwarder.runOnce());
    expect(forwarder.health()).toMatchObject({
      state: "idle",
      sink: "test",
      lagInMs: 0,
      lastDeliveredAt: "2026-11-21T09:00:00.000Z",
    });
  });

  it("shows until when a sink is left in peace", async () => {
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "429", afterInMs: 30_000 });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), sink);
    await clock.advance(1000);
    expect(forwarder.health()).toMatchObject({
      state: "paused",
      waiting: [{ until: "2026-11-21T09:00:30.000Z" }],
      lastProblem: "429",
      lagInMs: 61_000,
    });
    await finish();
  });

  it("shows a lag that grows while the sink is left in peace, and falls when it is back", async () => {
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503", afterInMs: 3_600_000 });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(400), sink);
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "paused", lagInMs: 3_060_000 });
    sink.answer = delivered;
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "running", lagInMs: 0 });
    await finish();
  });

  it("shows as lag how old the scores behind a page are while the next one is on its way", async () => {
    const clock = new TestClock();
    const scores = [1, 2, 3].map((number) =>
      aPendingScore(number, { at: `2026-11-21T08:5${number}:00.000Z` }),
    );
    const queue = Object.assign(new TestQueue(scores), { pageSize: 2 });
    queue.beforePage = (page) => (page === 2 ? clock.sleep(5000) : undefined);
    const { forwarder, finish } = aRunningForwarder(queue, new TestSink(), {
      clock,
      pollIntervalInMs: 10_000,
    });
    await clock.advance(3000);
    expect(forwarder.health()).toMatchObject({ pending: 0, lagInMs: 8 * 60_000 + 3000 });
    await clock.advance(4000);
    expect(forwarder.health().lagInMs).toBe(0);
    await finish();
  });

  it("shows a lag that falls while a long backlog drains", async () => {
    const clock = new TestClock();
    const minutesAgo = (minutes: number) => new Date(clock.now() - minutes * 60_000).toISOString();
    const scores = Array.from({ length: 1000 }, (_, index) =>
      aPendingScore(index + 1, { at: minutesAgo(1000 - index) }),
    );
    const sink = new TestSink(after(clock, 1000));
    const { forwarder, finish } = aRunningForwarder(new TestQueue(scores), sink, { clock, concurrency: 1 });
    await clock.advance(0);
    expect(forwarder.health().lagInMs).toBe(1000 * 60_000);
    for (const seconds of [250, 500, 750]) {
      await clock.advance(250_000);
      const lagInMs = (1000 - seconds) * 60_000 + seconds * 1000;
      // What is delivered waits up to a second for its acknowledgement.
      expect(Math.abs(forwarder.health().lagInMs! - lagInMs)).toBeLessThanOrEqual(2 * 60_000);
    }
    await clock.advance(300_000);
    expect(forwarder.health().lagInMs).toBe(0);
    await finish();
  });

  it("counts a score that the sink cannot take yet, whatever else is delivered", async () => {
    const scores = [aPendingScore(1, { at: "2026-11-21T08:00:00.000Z" }), aPendingScore(2), aPendingScore(3)];
    const sink = new TestSink(({ id }) =>
      id === "score-1" ? { outcome: "retry", reason: "no trace yet" } : delivered,
    );
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(scores), sink);
    await clock.advance(600_000);
    expect(forwarder.health()).toMatchObject({ delivered: 2, lagInMs: 3_600_000 + 600_000 });
    await finish();
  });

  it("counts no score that others have delivered", async () => {
    const queue = new TestQueue([1, 2, 3, 4].map((number) => aPendingScore(number)));
    const clock = new TestClock();
    const sink = new TestSink({ outcome: "retry", reason: "no trace yet" });
    const waiting = aRunningForwarder(queue, sink, { clock });
    await clock.advance(10_000);
    expect(waiting.forwarder.health().lagInMs).toBe(70_000);
    for (const { id } of queue.scores) queue.states.set(id, "delivered");
    await clock.advance(60_000);
    expect(waiting.forwarder.health().lagInMs).toBe(0);
    await waiting.finish();
  });
});

describe("a stalled forwarder", () => {
  const minute = 60_000;
  const busy = { outcome: "retry", scope: "sink", reason: "503" } as const;

  it("is one whose scores wait while none was delivered for five minutes, until one is", async () => {
    const sink = new TestSink(busy);
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(3), sink);
    await clock.advance(4 * minute);
    expect(forwarder.health()).toMatchObject({ stalled: null, pending: 3 });
    await clock.advance(2 * minute);
    expect(forwarder.health().stalled).toBe("3 waiting, none delivered for 6 min: 503");
    sink.answer = delivered;
    await clock.advance(6 * minute);
    expect(forwarder.health()).toMatchObject({ stalled: null, pending: 0 });
    await finish();
  });

  it("is none with an empty queue, nor with a score that comes after a long silence", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink(busy), {
      stalledAfterInMs: minute,
    });
    await clock.advance(60 * minute);
    expect(forwarder.health().stalled).toBeNull();
    queue.add(aPendingScore(1));
    await clock.advance(50_000);
    expect(forwarder.health()).toMatchObject({ stalled: null, pending: 1 });
    await clock.advance(20_000);
    expect(forwarder.health().stalled).toMatch(/^1 waiting, none delivered for/);
    await finish();
  });

  it("is one that cannot read the queue, and not any more once it can", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(minute);
    queue.beforePage = () => {
      throw refused(503);
    };
    await clock.advance(6 * minute);
    expect(forwarder.health().stalled).toMatch(/^could not read the queue for 6 min: .*503/);
    expect(forwarder.health().serviceFailures.polling).toBeGreaterThan(3);
    queue.beforePage = () => undefined;
    queue.add(aPendingScore(1));
    await clock.advance(2 * minute);
    expect(forwarder.health()).toMatchObject({ stalled: null, delivered: 1 });
    await finish();
  });

  it("is one that the service leaves without an answer, although no score is known to wait", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    queue.beforePage = () => new Promise(() => undefined);
    await clock.advance(6 * minute);
    expect(forwarder.health().stalled).toBe(
      "could not read the queue for 6 min: GET /v1/sdk/pending-scores has not been answered yet",
    );
    void finish();
  });

  it("is one whose acknowledgements the service does not confirm", async () => {
    const queue = new TestQueue(1);
    queue.beforeAck = () => {
      throw refused(500);
    };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(6 * minute);
    expect(forwarder.health()).toMatchObject({ delivered: 1, unacknowledged: 1, pending: 1 });
    expect(forwarder.health().stalled).toMatch(/^1 delivered, but not acknowledged for 6 min: .*500/);
    expect(forwarder.health().serviceFailures).toMatchObject({
      polling: 0,
      acknowledging: expect.any(Number),
    });
    void finish();
  });

  it.each<[string, Outcome]>([
    ["that it refuses", { outcome: "fatal", reason: "403" }],
    ["whose run has not arrived", { outcome: "retry", reason: "404" }],
  ])("is none whose sink leaves a single score waiting %s", async (_, outcome) => {
    const queue = new TestQueue(1);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink(outcome));
    await clock.advance(60 * minute);
    expect(forwarder.health()).toMatchObject({ state: "running", stalled: null, pending: 1, deferred: 1 });
    await finish();
  });

  it("is one whose sink has not taken five different scores, and taken none meanwhile", async () => {
    const sink = new TestSink({ outcome: "retry", reason: "404" });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(5), sink);
    await clock.advance(6 * minute);
    expect(forwarder.health().stalled).toBe("5 waiting, none delivered for 6 min: 404");
    await finish();
  });

  it("is one whose redactor never returns", async () => {
    const scores = Array.from({ length: 20 }, (_, index) => aPendingScore(index + 1, { text: "words" }));
    const options = { text: () => new Promise<never>(() => undefined) };
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(scores), new TestSink(), options);
    await clock.advance(6 * minute);
    expect(forwarder.health().stalled).toBe(
      "20 waiting, none delivered for 6 min: the score was not prepared in time",
    );
    await finish();
  });

  it("is one whose redactor fails for five different scores", async () => {
    const scores = Array.from({ length: 5 }, (_, index) => aPendingScore(index + 1, { text: "words" }));
    const text = () => {
      throw new Error("no redactor");
    };
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(scores), new TestSink(), { text });
    await clock.advance(6 * minute);
    expect(forwarder.health().stalled).toMatch(/^5 waiting, none delivered for 6 min/);
    await finish();
  });

  it("is none that polls more rarely than every five minutes", async () => {
    const options = { pollIntervalInMs: 20 * minute };
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(0), new TestSink(), options);
    for (let passed = 0; passed < 60; passed += 5) {
      await clock.advance(5 * minute);
      expect(forwarder.health().stalled).toBeNull();
    }
    await finish();
    const make = () =>
      aForwarder(new TestQueue(0), new TestSink(), { pollIntervalInMs: minute, stalledAfterInMs: minute });
    expect(make).toThrow("stalledAfterInMs is 60000; it must be a whole number from 120000.");
  });
});

const busy: Outcome = {
  outcome: "retry",
  scope: "sink",
  reason: "test: POST /scores answered 503",
  afterInMs: 30_000,
};
const unknown: Outcome = { outcome: "retry", reason: "test: unknown session", afterInMs: 600_000 };

/** A running forwarder and the lines that it has logged. */
function aTellingForwarder(queue: TestQueue, sink: TestSink, options: Given = {}) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const logger: Logger = { debug: say, info: say, warn: say, error: say };
  return { lines, ...aRunningForwarder(queue, sink, { logger, ...options }) };
}

describe("a forwarder that waits logs why", () => {
  it("for a sink: within a second, with its error, how many scores, since when and until when", async () => {
    const { clock, lines, finish } = aTellingForwarder(new TestQueue(20), new TestSink(busy));
    await clock.advance(1000);
    expect(lines).toEqual([
      "20 waiting for test: POST /scores answered 503 (since 09:00:00Z, next attempt 09:00:30Z)",
    ]);
    await finish();
  });

  it("once a minute while the reason stays, and at once when it changes", async () => {
    const sink = new TestSink(busy);
    const { clock, lines, finish } = aTellingForwarder(new TestQueue(20), sink);
    await clock.advance(301_000);
    expect(lines.length).toBeGreaterThanOrEqual(5);
    expect(lines.length).toBeLessThanOrEqual(6);
    sink.answer = { ...busy, reason: "test: POST /scores answered 429" };
    const before = lines.length;
    await clock.advance(31_000);
    expect(lines.slice(before).filter((line) => line.includes("answered 429"))).toHaveLength(1);
    await finish();
  });

  it("in one reason for answers that differ by the id of their request", async () => {
    let request = 0;
    const sink = new TestSink(() => ({
      ...unknown,
      reason: `test: POST answered 404 (request r-${(request += 1)})`,
    }));
    const { clock, forwarder, finish } = aTellingForwarder(new TestQueue(7), sink);
    await clock.advance(1000);
    expect(forwarder.health().waiting).toMatchObject([
      { for: "test", reason: "test: POST answered 404", scores: 7 },
    ]);
    await finish();
  });

  it("and what was refused for good", async () => {
    const sink = new TestSink(({ id }) =>
      id === "score-1" ? { outcome: "permanent", reason: "test: POST answered 400" } : delivered,
    );
    const { clock, lines, finish } = aTellingForwarder(new TestQueue(20), sink);
    await clock.advance(2000);
    expect(lines).toEqual(["1 refused for good: test: POST answered 400"]);
    await finish();
  });

  it("for a service that cannot be read, and for one that confirms nothing", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw new ApiError({ method: "POST", path: "/ack", status: 503, requestId: "r-1" });
    };
    queue.beforePage = (poll) => {
      if (poll > 1) throw refused(503);
    };
    const { clock, lines, finish } = aTellingForwarder(queue, new TestSink());
    await clock.advance(10_000);
    expect(lines).toEqual([
      expect.stringMatching(
        /^waiting for service: GET \/v1\/sdk\/pending-scores was refused with status 503 \(since .*, next attempt .*\)$/,
      ),
      expect.stringMatching(
        /^3 waiting for service: POST \/ack was refused with status 503 \(since .*, next attempt .*\)$/,
      ),
    ]);
    await finish();
  });
});

describe("the lag", () => {
  it("and the health are kept for each sink of several", async () => {
    const clock = new TestClock();
    const near = Object.assign(new TestSink(), { name: "near" });
    const far = Object.assign(new TestSink({ ...busy, reason: "far: 503" }), { name: "far" });
    const sink = fanOut([near, far], { clock: () => clock.monotonic() });
    const scores = [aPendingScore(1, { at: "2026-11-21T08:58:50.000Z" }), aPendingScore(2)];
    const { forwarder, finish } = aRunningForwarder(new TestQueue(scores), sink, { clock });
    await clock.advance(10_000);
    expect(forwarder.health().sinks).toEqual([
      {
        sink: "near",
        pending: 0,
        delivered: 2,
        failed: 0,
        retried: 0,
        lagInMs: 0,
        lastProblem: null,
      },
      {
        sink: "far",
        pending: 2,
        delivered: 0,
        failed: 0,
        retried: 2,
        lagInMs: 80_000,
        lastProblem: "far: 503",
      },
    ]);
    expect(forwarder.health()).toMatchObject({
      waiting: [{ for: "near+far", reason: "far: 503; delivered to near", scores: 2 }],
      lagInMs: 80_000,
    });
    await finish();
  });
});
