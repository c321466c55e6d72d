import { describe, expect, it } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { fanOut, type Outcome } from "../forwarder.ts";
import type { Logger } from "../options/logger.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { aRunningForwarder, delivered, type Given, refused, TestSink } from "./forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

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

  it("for single scores, beside the others that are delivered", async () => {
    const sink = new TestSink(({ id }) => (id === "score-1" ? unknown : delivered));
    const { clock, lines, finish } = aTellingForwarder(new TestQueue(20), sink);
    await clock.advance(2000);
    expect(lines).toEqual(["1 waiting for test: unknown session (since 09:00:00Z, next attempt 09:10:00Z)"]);
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

describe("a service that hangs", () => {
  const never = () => new Promise<void>(() => undefined);

  it("is what the forwarder waits for within one interval, for a page", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(1000);
    queue.beforePage = never;
    await clock.advance(3000);
    expect(forwarder.health()).toMatchObject({
      waiting: [{ for: "service", reason: "GET /v1/sdk/pending-scores has not been answered yet" }],
      serviceFailures: { polling: 0, acknowledging: 0 },
    });
    await finish();
  });

  it("is what the forwarder waits for within one interval, for an acknowledgement", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = never;
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(2500);
    expect(forwarder.health()).toMatchObject({
      waiting: [
        { for: "service", reason: "POST /v1/sdk/pending-scores/ack has not been answered yet", scores: 3 },
      ],
      serviceFailures: { polling: 0, acknowledging: 0 },
    });
    await finish();
  });
});

describe("the lag", () => {
  it("grows while the queue cannot be read, from when it was read last", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(10_000);
    expect(forwarder.health().lagInMs).toBe(0);
    queue.beforePage = () => {
      throw refused(503);
    };
    await clock.advance(600_000);
    expect(forwarder.health().lagInMs).toBeGreaterThanOrEqual(600_000);
    expect(forwarder.health().waiting).toMatchObject([{ for: "service", scores: 0 }]);
    queue.beforePage = () => undefined;
    await clock.advance(60_000);
    expect(forwarder.health()).toMatchObject({ lagInMs: 0, waiting: [] });
    await finish();
  });

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

it("one of several sinks that refuses everything is left in peace, and the others get all", async () => {
  const clock = new TestClock();
  const near = Object.assign(new TestSink(), { name: "near" });
  const far = Object.assign(new TestSink({ outcome: "fatal", reason: "far: 401" }), { name: "far" });
  const sink = fanOut([near, far], { clock: () => clock.monotonic() });
  const { forwarder, finish } = aRunningForwarder(new TestQueue(400), sink, { clock });
  await clock.advance(300_000);
  expect(near.pushed).toHaveLength(400);
  expect(far.pushed.length).toBeLessThan(40);
  expect(forwarder.health().state).toBe("running");
  far.answer = delivered;
  await clock.advance(600_000);
  expect(forwarder.health()).toMatchObject({ delivered: 400, waiting: [] });
  await finish();
});
