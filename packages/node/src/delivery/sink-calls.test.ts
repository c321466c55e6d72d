import { describe, expect, it } from "vitest";
import { fanOut, type Outcome } from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { aForwarder, aRunningForwarder, after, delivered, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

describe("pace", () => {
  it("keeps as many pushes under way as concurrency allows, across pages", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(320);
    const sink = new TestSink(after(clock, 50));
    const { forwarder } = aForwarder(queue, sink, { clock, concurrency: 16 });
    const startedAt = clock.now();
    await clock.until(forwarder.runOnce());
    expect(sink.mostAtOnce).toBe(16);
    // 320 pushes of 50 ms, 16 at once, take a second when no worker ever waits for a page.
    expect(clock.now() - startedAt).toBe(1000);
  });

  it("leaves a rate-limited sink in peace for as long as it asks", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(30);
    const calls: number[] = [];
    const sink = new TestSink(() => {
      calls.push(clock.now());
      return calls.length === 5
        ? { outcome: "retry", scope: "sink", reason: "429", afterInMs: 20_000 }
        : delivered;
    });
    const { forwarder } = aForwarder(queue, sink, { clock, concurrency: 1 });
    await clock.until(forwarder.runOnce());
    expect(calls[5]! - calls[4]!).toBe(20_000);
    expect(queue.count("delivered")).toBe(30);
  });

  it("meets a limit of 30 a minute with few refusals", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(120);
    let window = { startedAt: clock.now(), taken: 0 };
    let refusals = 0;
    const sink = new TestSink((): Outcome => {
      if (clock.now() - window.startedAt >= 60_000) window = { startedAt: clock.now(), taken: 0 };
      window.taken += 1;
      if (window.taken <= 30) return delivered;
      refusals += 1;
      const afterInMs = window.startedAt + 60_000 - clock.now();
      return { outcome: "retry", scope: "sink", reason: "429", afterInMs };
    });
    const { finish } = aRunningForwarder(queue, sink, { clock, concurrency: 16 });
    await clock.advance(300_000);
    expect(queue.count("delivered")).toBe(120);
    expect(refusals).toBeLessThanOrEqual(25);
    await finish();
  });

  it("calls a sink that has failed one at a time, and then more and more at once", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(4000);
    let calls = 0;
    const sink = new TestSink(async (): Promise<Outcome> => {
      calls += 1;
      const outcome: Outcome = calls <= 8 ? { outcome: "retry", scope: "sink", reason: "503" } : delivered;
      await clock.sleep(100);
      return outcome;
    });
    const { finish } = aRunningForwarder(queue, sink, { clock, concurrency: 8 });
    await clock.advance(50);
    expect(sink.running).toBe(8);
    await clock.advance(200);
    expect(sink.running).toBe(1);
    await clock.advance(10_000);
    expect(sink.running).toBe(8);
    await finish();
  });

  it("probes a dead sink ever less often, one push at a time, and catches up when it is back", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(400);
    let isDead = true;
    const calls: number[] = [];
    const sink = new TestSink(async (): Promise<Outcome> => {
      calls.push(clock.now());
      await clock.sleep(10);
      return isDead ? { outcome: "retry", scope: "sink", reason: "503" } : delivered;
    });
    const { forwarder, finish } = aRunningForwarder(queue, sink, { clock, concurrency: 8 });
    await clock.advance(600_000);
    expect(calls.length).toBeLessThan(40);
    expect(forwarder.health().state).toBe("paused");
    isDead = false;
    await clock.advance(600_000);
    expect(queue.count("delivered")).toBe(400);
    await finish();
  });
});

it("scores that either sink of fanOut refuses do not count as refused by a sink that refuses all", async () => {
  const rejected: Outcome = { outcome: "permanent", reason: "400" };
  const refusing = (name: string, remainder: number) =>
    Object.assign(
      new TestSink(({ id }) => (Number(id.slice("score-".length)) % 2 === remainder ? rejected : delivered)),
      { name },
    );
  const queue = new TestQueue(20);
  const { clock, forwarder } = aForwarder(queue, fanOut([refusing("odd", 1), refusing("even", 0)]));
  expect(await clock.until(forwarder.runOnce())).toMatchObject({ failed: 20, deferred: 0 });
});
