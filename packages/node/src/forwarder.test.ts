import { describe, expect, it, vi } from "vitest";
import { aForwarder, aRunningForwarder, delivered, refused, TestSink } from "./delivery/forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "./delivery/score-queue.fixture.ts";
import { TestClock } from "./options/clock.fixture.ts";
import {
  defineSink,
  fanOut,
  ForwarderStoppedError,
  type ForwarderOptions,
  type Outcome,
} from "./forwarder.ts";

describe("one outcome per score", () => {
  it("delivers every score once and acknowledges it as delivered", async () => {
    const queue = new TestQueue(250);
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    const summary = await clock.until(forwarder.runOnce());
    expect(summary).toEqual({
      delivered: 250,
      failed: 0,
      retried: 0,
      deferred: 0,
      unacknowledged: 0,
      isComplete: true,
    });
    expect(queue.count("delivered")).toBe(250);
    expect(new Set(sink.pushed).size).toBe(250);
    expect(sink.pushed).toHaveLength(250);
  });

  it("acknowledges as failed only what the sink refuses for good", async () => {
    const queue = new TestQueue(3);
    const sink = new TestSink(({ id }) =>
      id === "score-2" ? { outcome: "permanent", reason: "no value (request r-1)" } : delivered,
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, failed: 1 });
    expect(queue.states.get("score-2")).toBe("failed");
    expect(queue.acks.flat()).toEqual([
      { id: "score-1", state: "delivered" },
      { id: "score-2", state: "failed", reason: "no value" },
      { id: "score-3", state: "delivered" },
    ]);
    expect(queue.count("delivered")).toBe(2);
  });

  it("leaves a score pending that could not be delivered now, and says so", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink({ outcome: "retry", reason: "no trace yet", afterInMs: 3_600_000 });
    const { clock, forwarder } = aForwarder(queue, sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 0, retried: 1, deferred: 1 });
    expect(queue.count("pending")).toBe(1);
    expect(queue.acks).toEqual([]);
  });

  it("tries a score again within the run when the sink asks for a short wait", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink((_, attempt) =>
      attempt === 1 ? { outcome: "retry", reason: "busy", afterInMs: 1500 } : delivered,
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    const startedAt = clock.now();
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, retried: 1, deferred: 0 });
    expect(clock.now() - startedAt).toBe(1500);
  });

  it("passes each outcome to onOutcome", async () => {
    const onOutcome = vi.fn<NonNullable<ForwarderOptions["onOutcome"]>>();
    const { clock, forwarder } = aForwarder(new TestQueue(1), new TestSink(), { onOutcome });
    await clock.until(forwarder.runOnce());
    expect(onOutcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "score-1" }), {
      outcome: "delivered",
    });
  });

  it("hands a sink as many scores at once as it takes, and never more", async () => {
    const sizes: number[] = [];
    const sink = defineSink({
      name: "batches",
      batchSize: 40,
      async deliver(scores) {
        sizes.push(scores.length);
        return scores.map(() => delivered);
      },
    });
    const { clock, forwarder } = aForwarder(new TestQueue(100), sink, { concurrency: 1 });
    await clock.until(forwarder.runOnce());
    expect(sizes).toEqual([40, 40, 20]);
  });
});

describe("nothing is lost", () => {
  it("treats a sink that throws as one that could not be reached", async () => {
    const queue = new TestQueue(2);
    let calls = 0;
    const sink = defineSink({
      name: "throws",
      async deliver() {
        calls += 1;
        if (calls === 1) throw new Error("a text that might hold what a person wrote");
        return [delivered];
      },
    });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 1 });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, retried: 1 });
    expect(forwarder.health().lastProblem).toMatch(
      /^sink throws threw Error at \S*deliver \(.+forwarder\.test\.ts:\d+:\d+\)$/,
    );
  });

  it("gives up a call of the sink that never ends, and delivers the score later", async () => {
    const queue = new TestQueue(1);
    let calls = 0;
    let signalOfFirst: AbortSignal | undefined;
    const sink = defineSink({
      name: "hangs",
      deliver(_, { signal }) {
        calls += 1;
        signalOfFirst ??= signal;
        return calls === 1 ? new Promise<Outcome[]>(() => undefined) : Promise.resolve([delivered]);
      },
    });
    const { clock, forwarder } = aForwarder(queue, sink, { sinkTimeoutInMs: 5000 });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, retried: 1 });
    expect(signalOfFirst?.aborted).toBe(true);
    expect(forwarder.health().lastProblem).toBe("sink hangs did not answer in time");
  });

  it("keeps a score whose text could not be redacted, and delivers the others", async () => {
    const queue = new TestQueue([aPendingScore(1, { text: "bad" }), aPendingScore(2, { text: "good" })]);
    const sink = new TestSink();
    const text = (words: string) => {
      if (words === "bad") throw new RangeError("bad");
      return words.toUpperCase();
    };
    const { clock, forwarder } = aForwarder(queue, sink, { text });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, deferred: 1 });
    expect(queue.states.get("score-1")).toBe("pending");
    expect(forwarder.health().lastProblem).toBe("Redacting the text of score score-1 failed: RangeError");
  });

  it("gives up a redactor that never ends, and delivers the others meanwhile", async () => {
    const queue = new TestQueue([aPendingScore(1, { text: "stuck" }), aPendingScore(2, { text: "good" })]);
    const text = (words: string) => (words === "stuck" ? new Promise<never>(() => undefined) : words);
    const options = { text, concurrency: 1, sinkTimeoutInMs: 5000 };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink(), options);
    await clock.advance(10_000);
    expect(queue.states.get("score-2")).toBe("delivered");
    expect(forwarder.health().waiting).toMatchObject([
      { for: "test", reason: "the score was not prepared in time", scores: 1 },
    ]);
    await finish();
    expect(queue.states.get("score-1")).toBe("pending");
  });

  it("delivers what was added behind the cursor or during the run", async () => {
    const queue = new TestQueue(100);
    queue.beforePage = (poll) => {
      if (poll === 2) queue.add(aPendingScore(101));
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await clock.until(forwarder.runOnce());
    expect(queue.count("delivered")).toBe(101);
  });

  it("rejects when the queue cannot be read, after acknowledging what was delivered before", async () => {
    const queue = new TestQueue(150);
    queue.beforePage = (poll) => {
      if (poll === 2) throw refused(503);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.runOnce())).rejects.toMatchObject({ status: 503 });
    expect(queue.count("delivered")).toBe(100);
  });
});

const refusal: Outcome = { outcome: "fatal", reason: "403 from the sink" };

describe("a refusal of one score", () => {
  it("keeps that score waiting, and the others are delivered", async () => {
    const queue = new TestQueue(500);
    const sink = new TestSink(({ id }) => (id === "score-1" ? refusal : delivered));
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    await clock.advance(3_600_000);
    expect(queue.count("delivered")).toBe(499);
    expect(queue.states.get("score-1")).toBe("pending");
    expect(sink.timesPushed("score-1")).toBeLessThan(30);
    expect(forwarder.health()).toMatchObject({
      state: "running",
      waiting: [{ for: "test", reason: "403 from the sink", scores: 1 }],
    });
    await finish();
  });

  it("is no more while others were accepted: seven scores that are refused again and again stop nothing", async () => {
    const isBad = ({ id }: { id: string }) => Number(id.slice("score-".length)) <= 7;
    const queue = new TestQueue(8);
    const sink = new TestSink((score) => (isBad(score) ? refusal : delivered));
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    await clock.advance(3_600_000);
    queue.add(aPendingScore(9));
    await clock.advance(60_000);
    expect(forwarder.health().state).toBe("running");
    expect(queue.count("delivered")).toBe(2);
    await finish();
  });

  it("is forgotten when the sink takes another score", async () => {
    const queue = new TestQueue(0);
    const sink = new TestSink(({ id }) =>
      Number(id.slice("score-".length)) % 4 === 0 ? delivered : refusal,
    );
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    for (let number = 1; number <= 40; number += 1) {
      queue.add(aPendingScore(number));
      await clock.advance(10_000);
    }
    await clock.advance(60_000);
    expect(forwarder.health()).toMatchObject({ state: "running", delivered: 10 });
    await finish();
  });
});

describe("a sink or a key that is refused", () => {
  it("stops the loop after five different scores over a minute, tried ever less often, and burns no score", async () => {
    const queue = new TestQueue(500);
    const sink = new TestSink({ outcome: "fatal", reason: "401 from the sink" });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 4 });
    const startedAt = clock.now();
    await expect(clock.until(forwarder.start())).rejects.toThrow(
      "The forwarder has stopped: 401 from the sink",
    );
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(60_000);
    expect(clock.now() - startedAt).toBeLessThan(180_000);
    expect(new Set(sink.pushed).size).toBeGreaterThanOrEqual(5);
    expect(sink.pushed.length).toBeLessThan(30);
    expect(queue.count("pending")).toBe(500);
    const failed = { state: "failed", lastProblem: "401 from the sink" };
    expect(forwarder.health()).toMatchObject(failed);
    await clock.until(forwarder.stop());
    expect(forwarder.health()).toMatchObject(failed);
  });

  it.each([2, 9])("stops the loop also when only %i scores wait: replies count, over time", async (count) => {
    const queue = new TestQueue(count);
    const sink = new TestSink({ outcome: "fatal", reason: "401 from the sink" });
    const { clock, forwarder } = aForwarder(queue, sink);
    const startedAt = clock.now();
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(60_000);
    expect(clock.now() - startedAt).toBeLessThan(180_000);
    expect(queue.count("pending")).toBe(count);
  });

  it("still has acknowledged what was delivered before", async () => {
    const queue = new TestQueue(100);
    const sink = new TestSink(({ id }) => (id === "score-1" ? delivered : refusal));
    const { clock, forwarder } = aForwarder(queue, sink);
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
    expect(queue.count("delivered")).toBe(1);
    expect(queue.count("pending")).toBe(99);
  });

  it.each([401, 403])("does not stop the loop when the service answers one poll with %i", async (status) => {
    const queue = new TestQueue(1);
    queue.beforePage = (poll) => {
      if (poll === 1) throw refused(status);
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(10_000);
    expect(queue.count("delivered")).toBe(1);
    await finish();
  });

  it.each([401, 403])(
    "stops the loop when the service answers polls with %i for a minute",
    async (status) => {
      const queue = new TestQueue(1);
      queue.beforePage = () => {
        throw refused(status);
      };
      const { clock, forwarder } = aForwarder(queue, new TestSink());
      const startedAt = clock.now();
      await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
      expect(clock.now() - startedAt).toBeGreaterThanOrEqual(60_000);
      expect(queue.polls).toBeGreaterThanOrEqual(5);
    },
  );

  it("does not stop the loop when the service answers every second poll with 401", async () => {
    const queue = new TestQueue(0);
    queue.beforePage = (poll) => {
      if (poll % 2) throw refused(401);
    };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(600_000);
    expect(forwarder.health().state).toBe("running");
    await finish();
  });

  it("does not stop the loop when other failures follow refusals of less than a minute", async () => {
    const queue = new TestQueue(1);
    queue.beforePage = (poll) => {
      throw refused(poll <= 5 ? 401 : 503);
    };
    const { clock, forwarder, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(600_000);
    expect(forwarder.health()).toMatchObject({
      state: "running",
      lastProblem: expect.stringContaining("503"),
    });
    await finish();
  });

  it("does not stop a new run for what was refused in the one before", async () => {
    const queue = new TestQueue(1);
    const reply = { status: 401 };
    queue.beforePage = () => {
      throw refused(reply.status);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
    reply.status = 503;
    const running = forwarder.start();
    await clock.advance(600_000);
    expect(forwarder.health().state).toBe("running");
    await clock.until(forwarder.stop());
    await running;
  });

  it("does not stop the loop when a sink that refused for less than a minute is then out of order", async () => {
    let replies = 0;
    const outage: Outcome = { outcome: "retry", scope: "sink", reason: "503" };
    const sink = new TestSink(() => ((replies += 1) <= 5 ? refusal : outage));
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(500), sink, { concurrency: 5 });
    await clock.advance(600_000);
    expect(sink.pushed.length).toBeGreaterThan(5);
    expect(forwarder.health().stalled).toContain("503");
    await finish();
  });

  it("stops the loop when the service answers acknowledgements with 401 for a minute", async () => {
    const queue = new TestQueue(1);
    queue.beforeAck = () => {
      throw refused(401);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
  });

  it("rejects a single run that could deliver nothing, each time", async () => {
    const sink = new TestSink({ outcome: "fatal", reason: "401" });
    const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow(ForwarderStoppedError);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow(ForwarderStoppedError);
  });

  it("does not reject a single run that has delivered other scores", async () => {
    const sink = new TestSink(({ id }) => (id === "score-1" ? refusal : delivered));
    const { clock, forwarder } = aForwarder(new TestQueue(20), sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 19, deferred: 1 });
  });
});

describe("a sink that refuses every score for good", () => {
  const permanent: Outcome = { outcome: "permanent", reason: "test: POST answered 400" };

  it("loses five of them; the rest is kept, and one different score is tried per interval", async () => {
    const queue = new TestQueue(300);
    const sink = new TestSink(permanent);
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    await clock.advance(1000);
    const before = sink.pushed.length;
    await clock.advance(200_000);
    expect(queue.count("failed")).toBe(5);
    expect(sink.pushed.length - before).toBeGreaterThanOrEqual(95);
    expect(sink.pushed.length - before).toBeLessThanOrEqual(101);
    expect(new Set(sink.pushed).size).toBe(sink.pushed.length);
    const why = "test: POST answered 400; 5 scores in a row were refused for good, so the others are kept";
    expect(forwarder.health()).toMatchObject({
      failed: 5,
      waiting: [{ for: "test", reason: why, scores: expect.any(Number) }],
    });
    await clock.advance(200_000);
    expect(forwarder.health().stalled).toMatch(
      /^\d+ waiting, none delivered for \d+ min: test: POST answered 400/,
    );
    await finish();
  });

  it("delivers all others once one is accepted", async () => {
    const queue = new TestQueue(300);
    const state = { isBroken: true };
    const sink = new TestSink(({ id }) => (state.isBroken || id === "score-200" ? permanent : delivered));
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink);
    await clock.advance(60_000);
    state.isBroken = false;
    await clock.advance(700_000);
    expect([queue.count("delivered"), queue.count("failed")]).toEqual([294, 6]);
    expect(forwarder.health()).toMatchObject({ stalled: null, waiting: [] });
    await finish();
  });

  it("ends a single run, which leaves the rest pending", async () => {
    const queue = new TestQueue(300);
    const { clock, forwarder } = aForwarder(queue, new TestSink(permanent));
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ failed: 5, isComplete: false });
    expect(queue.count("pending")).toBe(295);
  });

  it("beside another sink gets five; the other gets all", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(100);
    const near = Object.assign(new TestSink(), { name: "near" });
    const far = Object.assign(new TestSink(permanent), { name: "far" });
    const { finish } = aRunningForwarder(queue, fanOut([near, far], { clock: () => clock.monotonic() }), {
      clock,
    });
    await clock.advance(60_000);
    expect(queue.count("failed")).toBe(5);
    expect(near.pushed).toHaveLength(100);
    await finish();
  });
});

describe("scores that were refused for good before", () => {
  it("are pushed once per start with includeFailed, beside the pending ones, and never without", async () => {
    const queue = new TestQueue(6);
    for (const id of ["score-1", "score-2", "score-3"]) queue.states.set(id, "failed");
    const permanent: Outcome = { outcome: "permanent", reason: "400" };
    const later: Outcome = { outcome: "retry", reason: "404", afterInMs: 600_000 };
    const sink = new TestSink(({ id }) => ({ "score-1": permanent, "score-2": later })[id] ?? delivered);
    const { clock, finish } = aRunningForwarder(queue, sink, { includeFailed: true });
    await clock.advance(3_600_000);
    expect(sink.pushed.toSorted()).toEqual([
      "score-1",
      "score-2",
      "score-3",
      "score-4",
      "score-5",
      "score-6",
    ]);
    expect(["score-1", "score-2", "score-3"].map((id) => queue.states.get(id))).toEqual([
      "failed",
      "failed",
      "delivered",
    ]);
    await finish();

    const { finish: end } = aRunningForwarder(queue, sink, { clock });
    await clock.advance(60_000);
    await end();
    expect(sink.pushed).toHaveLength(6);
  });

  it("are pushed once although the first pass has to begin anew", async () => {
    const queue = new TestQueue(1200);
    queue.pageSize = 10;
    for (const { id } of queue.scores) queue.states.set(id, "failed");
    let isBroken = true;
    queue.beforePage = (poll) => {
      if (poll === 110 && isBroken) {
        isBroken = false;
        throw refused(503);
      }
    };
    const sink = new TestSink(
      ({ id }) => (/[0369]$/.test(id) ? delivered : { outcome: "permanent", reason: "400" }),
      100,
    );
    const { clock, finish } = aRunningForwarder(queue, sink, { includeFailed: true });
    await clock.advance(120_000);
    expect(sink.pushed).toHaveLength(1200);
    await finish();
  });
});
