import { describe, expect, it } from "vitest";
import { aForwarder, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

describe("several forwarders", () => {
  it("share the rows by partition: each row falls to exactly one of them", async () => {
    const queue = new TestQueue(600);
    const sinks = [0, 1, 2].map(() => new TestSink());
    for (const [index, sink] of sinks.entries()) {
      const { clock, forwarder } = aForwarder(queue, sink, { partition: { index, of: 3 } });
      await clock.until(forwarder.runOnce());
    }
    const pushed = sinks.flatMap((sink) => sink.pushed);
    expect(pushed).toHaveLength(600);
    expect(new Set(pushed).size).toBe(600);
    for (const sink of sinks) expect(sink.pushed.length).toBeGreaterThan(150);
  });

  it.each([
    { index: 3, of: 3 },
    { index: -1, of: 2 },
    { index: 0, of: 0 },
    { index: 0.5, of: 2 },
  ])("refuse the partition $index of $of", (partition) => {
    expect(() => aForwarder(new TestQueue(0), new TestSink(), { partition })).toThrow("does not exist");
  });
});
