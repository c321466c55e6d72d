import { describe, expect, it } from "vitest";
import { aForwarder, aRunningForwarder, delivered, TestSink } from "./forwarder.fixture.ts";
import { aRow, TestQueue } from "./score-queue.fixture.ts";

describe("health", () => {
  it("tells the age of the oldest pending row as lag, and zero for an empty queue", async () => {
    const queue = new TestQueue([aRow(1, { at: "2026-11-21T08:58:30.000Z" })]);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    expect(forwarder.health()).toMatchObject({ state: "idle", lagInMs: null, lastPolledAt: null });
    await clock.until(forwarder.runOnce());
    expect(forwarder.health()).toMatchObject({
      state: "idle",
      sink: "test",
      lagInMs: 0,
      lastDeliveredAt: "2026-11-21T09:00:00.000Z",
      lastPolledAt: "2026-11-21T09:00:00.000Z",
    });
  });

  it("tells until when a sink is left in peace", async () => {
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "429", afterInMs: 30_000 });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), sink);
    await clock.advance(1000);
    expect(forwarder.health()).toMatchObject({
      state: "paused",
      pausedUntil: "2026-11-21T09:00:30.000Z",
      lastProblem: "429",
      lagInMs: 61_000,
    });
    await finish();
  });

  it("tells a lag that grows while the sink is left in peace, and falls when it is back", async () => {
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503", afterInMs: 3_600_000 });
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(400), sink);
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "paused", lagInMs: 3_060_000 });
    sink.answer = delivered;
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "running", lagInMs: 0 });
    await finish();
  });
});
