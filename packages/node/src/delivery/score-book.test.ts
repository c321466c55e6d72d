import { describe, expect, it } from "vitest";
import { aRunningForwarder, delivered, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

describe("a poisoned score", () => {
  it("that the sink can never take now does not block the scores behind it", async () => {
    const queue = new TestQueue(300);
    const sink = new TestSink(({ id }) =>
      id === "score-1" ? { outcome: "retry", reason: "its trace never comes" } : delivered,
    );
    const { clock, finish } = aRunningForwarder(queue, sink);
    await clock.advance(1000);
    expect(queue.count("delivered")).toBeGreaterThanOrEqual(200);
    await clock.advance(10_000);
    expect(queue.count("delivered")).toBe(299);
    await finish();
  });

  it("that makes the sink fail as a whole is put off further each time, while the others are delivered", async () => {
    const queue = new TestQueue(300);
    const sink = new TestSink(({ id }) =>
      id === "score-1" ? { outcome: "retry", scope: "sink", reason: "500" } : delivered,
    );
    const { clock, finish } = aRunningForwarder(queue, sink);
    await clock.advance(30_000);
    expect(queue.count("delivered")).toBe(299);
    const attempts = sink.timesPushed("score-1");
    await clock.advance(3_600_000);
    expect(sink.timesPushed("score-1") - attempts).toBeLessThan(20);
    await finish();
  });
});

it("a score for which the sink asks for a year is tried again after an hour", async () => {
  const sink = new TestSink({ outcome: "retry", reason: "404", afterInMs: 365 * 24 * 3_600_000 });
  const { clock, finish } = aRunningForwarder(new TestQueue(1), sink);
  await clock.advance(3_700_000);
  expect(sink.pushed).toHaveLength(2);
  await finish();
});
