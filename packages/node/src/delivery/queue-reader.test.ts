import { describe, expect, it } from "vitest";
import type { Outcome } from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { aForwarder, aRunningForwarder, after, delivered, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

describe("pages", () => {
  it("fetches the next page while the last one is pushed, and never holds more than two", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1000);
    const sink = new TestSink(after(clock, 50));
    const { forwarder } = aForwarder(queue, sink, { clock, concurrency: 2 });
    const running = forwarder.runOnce();
    await clock.advance(50);
    expect(queue.polls).toBe(2);
    await clock.advance(50 * 40);
    expect(queue.polls).toBe(2);
    await clock.until(running);
    expect(queue.count("delivered")).toBe(1000);
  });

  it("asks for the next page before it pushes the last one, also to a sink that answers at once", async () => {
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const clock = Object.assign(new TestClock(), { turn });
    const queue = new TestQueue(300);
    const events: string[] = [];
    queue.beforePage = (poll) => void events.push(`page ${poll}`);
    const sink = new TestSink(({ id }) => {
      events.push(id);
      return delivered;
    });
    const { forwarder } = aForwarder(queue, sink, { clock });
    await clock.until(forwarder.runOnce());
    expect(events.slice(0, 3)).toEqual(["page 1", "page 2", "score-1"]);
    expect(events.indexOf("page 3")).toBeLessThan(events.indexOf("score-101"));
    expect(queue.count("delivered")).toBe(300);
  });
});

describe("the next pass comes", () => {
  const late: Outcome = { outcome: "retry", reason: "404", afterInMs: 3_600_000 };

  it.each([
    ["after a quarter of the interval when half of the scores were decided", 2, 500],
    ["after the interval when fewer were", 1, 2000],
    ["after the interval when none was", 0, 2000],
  ])("%s", async (_, decided, afterInMs) => {
    const queue = new TestQueue(4);
    const sink = new TestSink(({ id }) => (Number(id.slice("score-".length)) <= decided ? delivered : late));
    const { clock, finish } = aRunningForwarder(queue, sink, { pollIntervalInMs: 2000 });
    await clock.advance(afterInMs - 1);
    expect(queue.polls).toBe(1);
    await clock.advance(1);
    expect(queue.polls).toBe(2);
    await finish();
  });
});

describe("scores that were fetched a while ago", () => {
  it("are dropped after a minute and fetched anew, since they may be delivered or erased by then", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(50);
    const sink: TestSink = new TestSink((_, attempt): Outcome =>
      sink.pushed.length === 1 && attempt === 1
        ? { outcome: "retry", scope: "sink", reason: "429", afterInMs: 61_000 }
        : delivered,
    );
    const { finish } = aRunningForwarder(queue, sink, { clock, concurrency: 1 });
    await clock.advance(30_000);
    for (const { id } of queue.scores.slice(10)) queue.states.set(id, "delivered");
    await clock.advance(120_000);
    expect(new Set(sink.pushed)).toEqual(new Set(queue.scores.slice(0, 10).map(({ id }) => id)));
    await finish();
  });
});
