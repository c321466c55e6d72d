import { describe, expect, it } from "vitest";
import { TestClock } from "../options/clock.fixture.ts";
import { aForwarder, aRunningForwarder, after, delivered, refused, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

const failsOnce = () => {
  let hasFailed = false;
  return () => {
    if (hasFailed) return;
    hasFailed = true;
    throw refused(503);
  };
};

describe("acknowledgements", () => {
  it("are sent up to 200 at once", async () => {
    const queue = new TestQueue(450);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await clock.until(forwarder.runOnce());
    expect(queue.acks.every((results) => results.length <= 200)).toBe(true);
    expect(queue.acks.length).toBeLessThanOrEqual(5);
  });

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

  it("that fail once while a single run goes on are sent again", async () => {
    const queue = new TestQueue(450);
    queue.beforeAck = failsOnce();
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 450, unacknowledged: 0 });
  });

  it("that fail when a single run has nothing more to do make it fail, and are sent once more", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = failsOnce();
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow("503");
    expect(queue.count("delivered")).toBe(3);
  });

  it("that fail before stop are sent again by it, without waiting for their next attempt", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = failsOnce();
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(100);
    expect(forwarder.health()).toMatchObject({ pending: 3, serviceFailures: { acknowledging: 1 } });
    const stoppedAt = clock.now();
    await finish();
    expect(clock.now()).toBe(stoppedAt);
    expect(queue.count("delivered")).toBe(3);
  });

  it("that fail after the end are left to the next forwarder", async () => {
    const queue = new TestQueue(3);
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.beforeAck = () => promise;
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(2000);
    await finish();
    resolve();
    await clock.settle();
    expect(forwarder.health()).toMatchObject({ state: "stopped", unacknowledged: 3 });
    expect(queue.count("pending")).toBe(3);
  });

  it("that wait are no scores that wait for the sink", async () => {
    const queue = new TestQueue(3);
    queue.beforeAck = () => {
      throw refused(503);
    };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    queue.beforePage = () => {
      throw refused(503);
    };
    await clock.advance(10_000);
    const { waiting } = forwarder.health();
    expect(waiting.map(({ scores }) => scores).sort()).toEqual([0, 3]);
    await finish();
  });

  it("that fail after stop are sent again with the outcomes of calls under way", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(2);
    queue.beforeAck = failsOnce();
    const sink = new TestSink(({ id }) => (id === "score-1" ? delivered : after(clock, 3000)()));
    const { finish } = aRunningForwarder(queue, sink, { clock });
    await clock.advance(100);
    await finish();
    expect(queue.count("delivered")).toBe(2);
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

  it("that the service refuses for every id cost one request for each, once the batches are split", async () => {
    const queue = new TestQueue(200);
    let requests = 0;
    queue.beforeAck = () => {
      requests += 1;
      throw refused(413);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await clock.until(forwarder.runOnce());
    expect(requests).toBeLessThanOrEqual(200 + 2 * Math.log2(200));
  });

  it("that a crash has cost make at most 5,000 scores and the calls under way be pushed again", async () => {
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
