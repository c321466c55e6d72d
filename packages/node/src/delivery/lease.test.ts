import type { PendingScore } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import type { Logger } from "../options/logger.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { aForwarder, after, aRunningForwarder, delivered, TestSink } from "./forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

function aQueueWithLeases(clock: TestClock, scores: number): TestQueue {
  const queue = new TestQueue(scores);
  queue.now = () => clock.now();
  return queue;
}

/** A service that takes a lease back only when a moment has come. */
function giveBackAfter(queue: TestQueue, moment: () => Promise<void>): void {
  const listing = queue.pendingScores.bind(queue);
  queue.pendingScores = (options = {}) => {
    const listed = listing(options);
    if (options.leaseInSeconds !== 0) return listed;
    async function* pages() {
      await moment();
      yield* listed.pages();
    }
    return { ...listed, pages };
  };
}

describe("two forwarders of one queue", () => {
  it("push each score once, also while one takes over from the other", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 400);
    const sinks = [0, 1, 2].map(() => new TestSink(after(clock, 200)));
    const first = aRunningForwarder(queue, sinks[0]!, { clock });
    await clock.advance(1000);
    const second = aRunningForwarder(queue, sinks[1]!, { clock });
    await clock.advance(1000);
    await first.finish();
    const third = aRunningForwarder(queue, sinks[2]!, { clock });
    await clock.advance(60_000);
    await Promise.all([second.finish(), third.finish()]);
    const pushed = sinks.flatMap((sink) => sink.pushed);
    expect(queue.count("delivered")).toBe(400);
    expect(pushed).toHaveLength(400);
    for (const sink of sinks) expect(sink.pushed.length).toBeGreaterThan(0);
  });

  it("one that stops gives back what it has not pushed, at once", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 100);
    const { finish } = aRunningForwarder(queue, new TestSink(after(clock, 1000)), { clock });
    await clock.advance(500);
    expect(queue.leases.size).toBe(100);
    await finish();
    expect([...queue.leases.keys()].filter((id) => queue.states.get(id) === "pending")).toEqual([]);
  });

  it("one that ends waits until the service has its lease back, and has none where it found nothing", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 100);
    let givenBack = 0;
    giveBackAfter(queue, () => {
      givenBack += 1;
      return clock.sleep(1000);
    });
    const startedAt = clock.now();
    const { forwarder } = aForwarder(queue, new TestSink(after(clock, 1000)), { clock });
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(500);
    ending.abort();
    await clock.until(running);
    // The calls under way end half a second later.
    expect([givenBack, clock.now() - startedAt]).toEqual([1, 2000]);
    for (const { id } of queue.scores) queue.states.set(id, "delivered");
    await clock.until(forwarder.runOnce());
    expect(givenBack).toBe(1);
  });

  it("one whose lease the service never takes back ends all the same", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 100);
    const { promise, resolve } = Promise.withResolvers<void>();
    giveBackAfter(queue, () => promise);
    const { forwarder, finish } = aRunningForwarder(queue, new TestSink(after(clock, 1000)), { clock });
    await clock.advance(500);
    await finish();
    resolve();
    await clock.settle();
    expect(forwarder.health().state).toBe("stopped");
  });

  it("one that stops while a page is on its way gives back what that page leases", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 20);
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.beforePage = () => promise;
    const { finish } = aRunningForwarder(queue, new TestSink(), { clock });
    await clock.advance(100);
    const finished = finish();
    resolve();
    await finished;
    expect(queue.leases.size).toBe(0);
  });

  it("the scores of one that is killed come back when its lease ends", async () => {
    const clock = new TestClock();
    const queue = aQueueWithLeases(clock, 3);
    // It never answers: as good as killed.
    void aForwarder(queue, new TestSink(() => new Promise(() => undefined)), { clock }).forwarder.start();
    await clock.advance(1000);
    const sink = new TestSink();
    const { forwarder } = aForwarder(queue, sink, { clock: Object.assign(new TestClock(), {}) });
    queue.now = () => clock.now();
    const leased = { count: 3, until: "2026-11-21T09:02:00.000Z" };
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ isComplete: false, leased });
    expect(forwarder.health()).toMatchObject({ pending: 0, leased });
    expect(sink.pushed).toEqual([]);
    queue.now = () => clock.now() + 121_000;
    const summary = await clock.until(forwarder.runOnce());
    expect(summary).toMatchObject({ delivered: 3, isComplete: true });
    expect(summary).not.toHaveProperty("leased");
    expect(forwarder.health().leased).toEqual({ count: 0, until: null });
  });

  it("of a service without leases push twice, and say so once", async () => {
    const queue = new TestQueue(3);
    queue.offersLeases = false;
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const logger: Logger = { debug: say, info: say, warn: say, error: say };
    const { clock, finish } = aRunningForwarder(queue, new TestSink(), { logger });
    await clock.advance(10_000);
    expect(lines).toEqual([
      "the service offers no leases: a second forwarder of this queue would push each score twice",
    ]);
    await finish();
  });
});

describe("a page with malformed scores", () => {
  it("is delivered without them, and what is wrong is logged once, without its content", async () => {
    const bad = [
      null,
      { surveyId: "private words" },
      { ...aPendingScore(98), id: 98 },
      { ...aPendingScore(99), at: "yesterday" },
    ];
    const queue = new TestQueue(10);
    queue.scores.splice(4, 0, ...(bad as PendingScore[]));
    for (const score of bad) queue.states.set((score as PendingScore | null)?.id ?? "none", "pending");
    queue.isListed = (score) =>
      score === null || !("id" in score) || queue.states.get(score.id) === "pending";
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const logger: Logger = { debug: say, info: say, warn: say, error: say };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink(delivered), { logger });
    await clock.advance(10_000);
    expect(queue.count("delivered")).toBe(10);
    expect(lines).toEqual([
      "passed over 4 malformed of the scores that the service lists: not an object, no id, no valid time",
    ]);
    expect(forwarder.health()).toMatchObject({ pending: 0, stalled: null });
    await finish();
  });
});
