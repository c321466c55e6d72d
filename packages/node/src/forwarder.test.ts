import { describe, expect, it, vi } from "vitest";
import { TestClock } from "./delivery/clock.fixture.ts";
import type { ScoreQueue } from "./delivery/delivery-loop-options.ts";
import { aRow, TestQueue } from "./delivery/score-queue.fixture.ts";
import { noTelemetry } from "./delivery/telemetry.ts";
import { ApiError } from "./errors/api-error.ts";
import {
  createForwarder,
  defineSink,
  ForwarderStoppedError,
  type DeliverableScore,
  type ForwarderOptions,
  type Outcome,
  type Sink,
} from "./forwarder.ts";

type Answer = Outcome | ((score: DeliverableScore, attempt: number) => Outcome | Promise<Outcome>);

/** A sink that answers as it is told and remembers every push. */
class TestSink implements Sink {
  readonly name = "test";
  readonly batchSize: number;
  readonly pushed: string[] = [];
  running = 0;
  mostAtOnce = 0;
  isClosed = false;
  answer: Answer;

  constructor(answer: Answer = { outcome: "delivered" }, batchSize = 1) {
    this.answer = answer;
    this.batchSize = batchSize;
  }

  async deliver(scores: readonly DeliverableScore[]): Promise<Outcome[]> {
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    const outcomes: Outcome[] = [];
    for (const score of scores) {
      this.pushed.push(score.id);
      const attempt = this.timesPushed(score.id);
      outcomes.push(typeof this.answer === "function" ? await this.answer(score, attempt) : this.answer);
    }
    this.running -= 1;
    return outcomes;
  }

  timesPushed(id: string): number {
    return this.pushed.filter((one) => one === id).length;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

interface Given extends Partial<ForwarderOptions> {
  queue?: ScoreQueue;
}

/** A forwarder whose time is in the test's hands. */
function aForwarder(queue: ScoreQueue, sink: Sink, options: Given = {}) {
  const clock = new TestClock();
  const forwarder = createForwarder({
    client: queue,
    sink,
    clock,
    random: () => 1,
    telemetry: noTelemetry,
    ...options,
  });
  return { clock, forwarder };
}

const refused = (status: number) => new ApiError({ method: "GET", path: "/v1/sdk/pending-scores", status });

/** The sink takes this long for each call. */
const after =
  (clock: TestClock, delayInMs: number, outcome: Outcome = { outcome: "delivered" }) =>
  async (): Promise<Outcome> => {
    await clock.sleep(delayInMs);
    return outcome;
  };

describe("one outcome per score", () => {
  it("delivers every row once and acknowledges it as delivered", async () => {
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
      id === "row-2" ? { outcome: "permanent", reason: "no value" } : { outcome: "delivered" },
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, failed: 1 });
    expect(queue.states.get("row-2")).toBe("failed");
    expect(queue.count("delivered")).toBe(2);
  });

  it("leaves a row pending that could not be delivered now, and says so", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink({ outcome: "retry", reason: "no trace yet", afterInMs: 3_600_000 });
    const { clock, forwarder } = aForwarder(queue, sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 0, retried: 1, deferred: 1 });
    expect(queue.count("pending")).toBe(1);
    expect(queue.acks).toEqual([]);
  });

  it("tries a row again within the run when the sink asks for a short wait", async () => {
    const queue = new TestQueue(1);
    const sink = new TestSink((_, attempt) =>
      attempt === 1 ? { outcome: "retry", reason: "busy", afterInMs: 1500 } : { outcome: "delivered" },
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    const startedAt = clock.now();
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, retried: 1, deferred: 0 });
    expect(clock.now() - startedAt).toBe(1500);
  });

  it("tells each outcome to onOutcome", async () => {
    const onOutcome = vi.fn<NonNullable<ForwarderOptions["onOutcome"]>>();
    const { clock, forwarder } = aForwarder(new TestQueue(1), new TestSink(), { onOutcome });
    await clock.until(forwarder.runOnce());
    expect(onOutcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "row-1" }), {
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
        return scores.map(() => ({ outcome: "delivered" as const }));
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
        return [{ outcome: "delivered" }];
      },
    });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 1 });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, retried: 1 });
    expect(forwarder.health().lastProblem).toBe("sink throws threw Error");
  });

  it("gives up a call of the sink that never ends, and delivers the row later", async () => {
    const queue = new TestQueue(1);
    let calls = 0;
    let signalOfFirst: AbortSignal | undefined;
    const sink = defineSink({
      name: "hangs",
      deliver(_, { signal }) {
        calls += 1;
        signalOfFirst ??= signal;
        return calls === 1
          ? new Promise<Outcome[]>(() => undefined)
          : Promise.resolve([{ outcome: "delivered" }]);
      },
    });
    const { clock, forwarder } = aForwarder(queue, sink, { sinkTimeout: 5000 });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, retried: 1 });
    expect(signalOfFirst?.aborted).toBe(true);
    expect(forwarder.health().lastProblem).toBe("sink hangs did not answer in time");
  });

  it.each([
    ["too few outcomes", []],
    ["an outcome that does not exist", [{ outcome: "ok" }]],
    ["nothing", undefined],
  ])("stops at a sink that answers %s, and burns no row", async (_, answer) => {
    const queue = new TestQueue(1);
    const sink = { name: "broken", deliver: async () => answer as Outcome[] };
    const { clock, forwarder } = aForwarder(queue, sink);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow(
      "The forwarder has stopped: sink broken must answer one outcome for each of 1 scores",
    );
    expect(queue.count("pending")).toBe(1);
  });

  it("keeps a row whose text could not be redacted, and delivers the others", async () => {
    const queue = new TestQueue([aRow(1, { text: "bad" }), aRow(2, { text: "good" })]);
    const sink = new TestSink();
    const text = (words: string) => {
      if (words === "bad") throw new RangeError("bad");
      return words.toUpperCase();
    };
    const { clock, forwarder } = aForwarder(queue, sink, { text });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, deferred: 1 });
    expect(queue.states.get("row-1")).toBe("pending");
    expect(forwarder.health().lastProblem).toBe("Redacting the text of score row-1 failed: RangeError");
  });

  it("delivers what was added behind the cursor or during the run", async () => {
    const queue = new TestQueue(100);
    queue.beforePage = (poll) => {
      if (poll === 2) queue.add(aRow(101));
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

describe("acknowledgements", () => {
  it("are sent up to 200 at once", async () => {
    const queue = new TestQueue(450);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await clock.until(forwarder.runOnce());
    expect(queue.acks.every((results) => results.length <= 200)).toBe(true);
    expect(queue.acks.length).toBeLessThanOrEqual(5);
  });

  it("are sent after a second when few rows come, and at the latest after the given interval", async () => {
    const queue = new TestQueue(2);
    const clock = new TestClock();
    const sink = new TestSink();
    sink.answer = ({ id }) => (id === "row-1" ? { outcome: "delivered" } : after(clock, 60_000)());
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      sinkTimeout: 120_000,
    });
    const running = forwarder.start();
    await clock.advance(999);
    expect(queue.count("delivered")).toBe(0);
    await clock.advance(1);
    expect(queue.count("delivered")).toBe(1);
    await clock.until(forwarder.stop());
    await running;
  });

  it("that are lost on the way are sent again, and the row is not pushed twice", async () => {
    const queue = new TestQueue(3);
    let losses = 4;
    queue.beforeAck = () => {
      losses -= 1;
      if (losses >= 0) throw refused(503);
    };
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    const running = forwarder.start();
    await clock.advance(120_000);
    expect(queue.count("delivered")).toBe(3);
    expect(sink.pushed.toSorted()).toEqual(["row-1", "row-2", "row-3"]);
    await clock.until(forwarder.stop());
    await running;
  });

  it("whose reply is lost are sent again, and the row is not pushed twice", async () => {
    const queue = new TestQueue(3);
    let losses = 2;
    queue.afterAck = () => {
      losses -= 1;
      if (losses >= 0) throw refused(503);
    };
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    const running = forwarder.start();
    await clock.advance(60_000);
    expect(sink.pushed).toHaveLength(3);
    expect(forwarder.health().unacknowledged).toBe(0);
    await clock.until(forwarder.stop());
    await running;
  });

  it("that the service refuses for one id are split around it, and the others arrive", async () => {
    const queue = new TestQueue(9);
    queue.beforeAck = (results) => {
      if (results.some(({ id }) => id === "row-5")) throw refused(400);
    };
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(queue, sink);
    await clock.until(forwarder.runOnce());
    expect(queue.count("delivered")).toBe(8);
    expect(sink.timesPushed("row-5")).toBe(1);
  });

  it("that a crash has cost make at most 5,000 rows and the calls under way be pushed again", async () => {
    const [concurrency, batchSize] = [4, 50];
    const queue = new TestQueue(5500);
    queue.beforeAck = () => {
      throw refused(503);
    };
    // Calls that are never answered are what is under way when the process ends.
    const crashed = new TestSink(
      ({ id }) => (Number(id.slice(4)) > 4975 ? new Promise(() => undefined) : { outcome: "delivered" }),
      batchSize,
    );
    const { clock, forwarder } = aForwarder(queue, crashed, { concurrency });
    void forwarder.start();
    await clock.advance(20_000);
    expect(crashed.pushed.length).toBeGreaterThan(4900);
    expect(crashed.pushed.length).toBeLessThanOrEqual(5000 + concurrency * batchSize);
    queue.beforeAck = () => undefined;
    const next = new TestSink({ outcome: "delivered" }, batchSize);
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
    const sink = new TestSink({ outcome: "delivered" }, 100);
    const { clock, forwarder } = aForwarder(queue, sink);
    const running = forwarder.start();
    await clock.advance(30_000);
    expect(sink.pushed.length).toBeLessThan(5000 + 8 * 100);
    queue.beforeAck = () => undefined;
    await clock.advance(60_000);
    expect(queue.count("delivered")).toBe(6000);
    expect(sink.pushed).toHaveLength(6000);
    await clock.until(forwarder.stop());
    await running;
  });
});

describe("what is fatal", () => {
  it("stops the loop when the sink refuses the key, and burns no row", async () => {
    const queue = new TestQueue(500);
    const sink = new TestSink({ outcome: "fatal", reason: "401 from the sink" });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 4 });
    const running = clock.until(forwarder.start());
    await expect(running).rejects.toThrow("The forwarder has stopped: 401 from the sink");
    expect(sink.pushed.length).toBeLessThanOrEqual(4);
    expect(queue.count("pending")).toBe(500);
    expect(forwarder.health()).toMatchObject({ state: "failed", lastProblem: "401 from the sink" });
  });

  it("still acknowledges what was delivered before", async () => {
    const queue = new TestQueue(2);
    const sink = new TestSink(({ id }) =>
      id === "row-1" ? { outcome: "delivered" } : { outcome: "fatal", reason: "402" },
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
    expect(queue.states).toEqual(
      new Map([
        ["row-1", "delivered"],
        ["row-2", "pending"],
      ]),
    );
  });

  it.each([401, 403])("stops the loop when the service answers a poll with %i", async (status) => {
    const queue = new TestQueue(1);
    queue.beforePage = () => {
      throw refused(status);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
  });

  it("stops the loop when the service answers an acknowledgement with 401", async () => {
    const queue = new TestQueue(1);
    queue.beforeAck = () => {
      throw refused(401);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    await expect(clock.until(forwarder.start())).rejects.toThrow(ForwarderStoppedError);
  });

  it("rejects runOnce in the same way", async () => {
    const sink = new TestSink({ outcome: "fatal", reason: "401" });
    const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
    await expect(clock.until(forwarder.runOnce())).rejects.toThrow(ForwarderStoppedError);
    await expect(forwarder.runOnce()).rejects.toThrow(ForwarderStoppedError);
  });
});

describe("pace", () => {
  it("keeps as many pushes under way as concurrency allows, across pages", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(320);
    const sink = new TestSink(after(clock, 50));
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 16,
    });
    const startedAt = clock.now();
    await clock.until(forwarder.runOnce());
    expect(sink.mostAtOnce).toBe(16);
    // 320 pushes of 50 ms, 16 at once, take a second when no worker ever waits for a page.
    expect(clock.now() - startedAt).toBe(1000);
  });

  it("fetches the next page while the last one is pushed, and never holds more than two", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1000);
    const sink = new TestSink(after(clock, 50));
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 2,
    });
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
      return { outcome: "delivered" };
    });
    const { forwarder } = aForwarder(queue, sink, { clock });
    await clock.until(forwarder.runOnce());
    expect(events.slice(0, 3)).toEqual(["page 1", "page 2", "row-1"]);
    expect(events.indexOf("page 3")).toBeLessThan(events.indexOf("row-101"));
    expect(queue.count("delivered")).toBe(300);
  });

  it("leaves a rate-limited sink in peace for as long as it asks", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(30);
    const calls: number[] = [];
    const sink = new TestSink(() => {
      calls.push(clock.now());
      return calls.length === 5
        ? { outcome: "retry", scope: "sink", reason: "429", afterInMs: 20_000 }
        : { outcome: "delivered" };
    });
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 1,
    });
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
      if (window.taken <= 30) return { outcome: "delivered" };
      refusals += 1;
      const afterInMs = window.startedAt + 60_000 - clock.now();
      return { outcome: "retry", scope: "sink", reason: "429", afterInMs };
    });
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 16,
    });
    const running = forwarder.start();
    await clock.advance(300_000);
    expect(queue.count("delivered")).toBe(120);
    expect(refusals).toBeLessThanOrEqual(25);
    await clock.until(forwarder.stop());
    await running;
  });

  it("probes a dead sink ever less often, one push at a time, and catches up when it is back", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(400);
    let isDead = true;
    const calls: number[] = [];
    const sink = new TestSink(async (): Promise<Outcome> => {
      calls.push(clock.now());
      await clock.sleep(10);
      return isDead ? { outcome: "retry", scope: "sink", reason: "503" } : { outcome: "delivered" };
    });
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 8,
    });
    const running = forwarder.start();
    await clock.advance(600_000);
    expect(calls.length).toBeLessThan(40);
    expect(forwarder.health().state).toBe("paused");
    isDead = false;
    await clock.advance(600_000);
    expect(queue.count("delivered")).toBe(400);
    await clock.until(forwarder.stop());
    await running;
  });

  it("ends a single run at a sink that is dead, with the rows still pending", async () => {
    const queue = new TestQueue(400);
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503" });
    const { clock, forwarder } = aForwarder(queue, sink, { concurrency: 1 });
    const summary = await clock.until(forwarder.runOnce());
    expect(summary).toMatchObject({ delivered: 0, isComplete: false });
    expect(summary.deferred).toBeGreaterThan(0);
    expect(sink.pushed).toHaveLength(5);
    expect(queue.count("pending")).toBe(400);
  });

  it("polls an empty queue every two seconds", async () => {
    const queue = new TestQueue(0);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    const running = forwarder.start();
    await clock.advance(10_000);
    expect(queue.polls).toBe(6);
    await clock.until(forwarder.stop());
    await running;
  });

  it("backs off when the service cannot be reached, and goes on when it can", async () => {
    const queue = new TestQueue(1);
    queue.beforePage = () => {
      throw refused(503);
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    const running = forwarder.start();
    await clock.advance(600_000);
    expect(queue.polls).toBeLessThan(20);
    queue.beforePage = () => undefined;
    await clock.advance(60_000);
    expect(queue.count("delivered")).toBe(1);
    await clock.until(forwarder.stop());
    await running;
  });
});

describe("a poisoned row", () => {
  it("that the sink can never take now does not block the rows behind it", async () => {
    const queue = new TestQueue(300);
    const sink = new TestSink(({ id }) =>
      id === "row-1" ? { outcome: "retry", reason: "its trace never comes" } : { outcome: "delivered" },
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    const running = forwarder.start();
    await clock.advance(1000);
    expect(queue.count("delivered")).toBeGreaterThanOrEqual(200);
    await clock.advance(10_000);
    expect(queue.count("delivered")).toBe(299);
    await clock.until(forwarder.stop());
    await running;
  });

  it("that makes the sink fail as a whole is put off further each time, while the others are delivered", async () => {
    const queue = new TestQueue(300);
    const sink = new TestSink(({ id }) =>
      id === "row-1" ? { outcome: "retry", scope: "sink", reason: "500" } : { outcome: "delivered" },
    );
    const { clock, forwarder } = aForwarder(queue, sink);
    const running = forwarder.start();
    await clock.advance(30_000);
    expect(queue.count("delivered")).toBe(299);
    const attempts = sink.timesPushed("row-1");
    await clock.advance(3_600_000);
    expect(sink.timesPushed("row-1") - attempts).toBeLessThan(20);
    await clock.until(forwarder.stop());
    await running;
  });
});

describe("rows that were fetched a while ago", () => {
  it("are dropped after a minute and fetched anew, since they may be delivered or erased by then", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(50);
    const sink: TestSink = new TestSink((_, attempt): Outcome =>
      sink.pushed.length === 1 && attempt === 1
        ? { outcome: "retry", scope: "sink", reason: "429", afterInMs: 61_000 }
        : { outcome: "delivered" },
    );
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 1,
    });
    const running = forwarder.start();
    await clock.advance(30_000);
    for (const { id } of queue.rows.slice(10)) queue.states.set(id, "delivered");
    await clock.advance(120_000);
    expect(new Set(sink.pushed)).toEqual(new Set(queue.rows.slice(0, 10).map(({ id }) => id)));
    await clock.until(forwarder.stop());
    await running;
  });
});

describe("start and stop", () => {
  it("stop lets pushes under way finish, acknowledges them and closes the sink", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(100);
    const sink = new TestSink(after(clock, 3000));
    const forwarder = createForwarder({
      client: queue,
      sink,
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 4,
    });
    const running = forwarder.start();
    await clock.advance(1000);
    await clock.until(forwarder.stop());
    await running;
    expect(sink.pushed).toHaveLength(4);
    expect(queue.count("delivered")).toBe(4);
    expect(sink.isClosed).toBe(true);
    expect(forwarder.health()).toMatchObject({ state: "stopped", delivered: 4, unacknowledged: 0 });
  });

  it("stop takes at most its drain time, also when the sink hangs; the row stays pending", async () => {
    const queue = new TestQueue(1);
    const sink = defineSink({ name: "hangs", deliver: () => new Promise<Outcome[]>(() => undefined) });
    const { clock, forwarder } = aForwarder(queue, sink, { drainTimeout: 9000 });
    const running = forwarder.start();
    await clock.advance(100);
    const stoppedAt = clock.now();
    await clock.until(forwarder.stop());
    await running;
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(9000);
    expect(queue.count("pending")).toBe(1);
    expect(forwarder.health().retried).toBe(0);
  });

  it("a signal ends a single run early, without an error", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1000);
    const forwarder = createForwarder({
      client: queue,
      sink: new TestSink(after(clock, 100)),
      clock,
      random: () => 1,
      telemetry: noTelemetry,
      concurrency: 1,
    });
    const ending = new AbortController();
    const running = forwarder.runOnce({ signal: ending.signal });
    await clock.advance(450);
    ending.abort();
    const summary = await clock.until(running);
    expect(summary).toMatchObject({ delivered: 5, isComplete: false });
    expect(queue.count("delivered")).toBe(5);
  });

  it("runs one at a time", async () => {
    const { clock, forwarder } = aForwarder(new TestQueue(0), new TestSink());
    const running = forwarder.start();
    await expect(forwarder.runOnce()).rejects.toThrow("already running");
    await clock.until(forwarder.stop());
    await running;
    await expect(forwarder.start()).rejects.toThrow("was stopped");
  });

  it("can run many times, one after the other", async () => {
    const queue = new TestQueue(1);
    const { clock, forwarder } = aForwarder(queue, new TestSink());
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1 });
    queue.add(aRow(2));
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1 });
    expect(forwarder.health().delivered).toBe(2);
  });

  it("await using stops it", async () => {
    const sink = new TestSink();
    {
      await using forwarder = createForwarder({ client: new TestQueue(0), sink });
      expect(forwarder.health().state).toBe("idle");
    }
    expect(sink.isClosed).toBe(true);
  });
});

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
    const { clock, forwarder } = aForwarder(new TestQueue(1), sink);
    const running = forwarder.start();
    await clock.advance(1000);
    expect(forwarder.health()).toMatchObject({
      state: "paused",
      pausedUntil: "2026-11-21T09:00:30.000Z",
      lastProblem: "429",
      lagInMs: 61_000,
    });
    await clock.until(forwarder.stop());
    await running;
  });

  it("tells a lag that grows while the sink is left in peace, and falls when it is back", async () => {
    const sink = new TestSink({ outcome: "retry", scope: "sink", reason: "503", afterInMs: 3_600_000 });
    const { clock, forwarder } = aForwarder(new TestQueue(400), sink);
    const running = forwarder.start();
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "paused", lagInMs: 3_060_000 });
    sink.answer = { outcome: "delivered" };
    await clock.advance(3_000_000);
    expect(forwarder.health()).toMatchObject({ state: "running", lagInMs: 0 });
    await clock.until(forwarder.stop());
    await running;
  });
});

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

describe("options that cannot work are refused when the forwarder is made", () => {
  it.each([
    [{ concurrency: 0 }, "concurrency is 0; it must be a whole number from 1 to 1000."],
    [{ concurrency: Number.NaN }, "concurrency is NaN"],
    [{ pollInterval: -1 }, "pollInterval is -1; it must be a whole number from 1."],
    [{ ackInterval: 10_001 }, "ackInterval is 10001; it must be a whole number from 0 to 10000."],
    [{ sinkTimeout: 0.5 }, "sinkTimeout is 0.5"],
    [{ drainTimeout: -5 }, "drainTimeout is -5"],
  ])("%o", (options, message) => {
    expect(() => aForwarder(new TestQueue(0), new TestSink(), options)).toThrow(message);
  });

  it("a sink without a name or a function", () => {
    expect(() => aForwarder(new TestQueue(0), { name: "" } as Sink)).toThrow("A sink needs a name.");
    expect(() => aForwarder(new TestQueue(0), { name: "x" } as Sink)).toThrow("needs a function deliver");
  });
});

describe("what people wrote", () => {
  it.each([
    ["is left out unless the sink keeps it on this machine", undefined, null],
    ["goes along when that is asked for", "include" as const, "words"],
  ])("%s", async (_, text, expected) => {
    const seen: (string | null)[] = [];
    const sink = defineSink({
      name: "seen",
      async deliver(scores) {
        seen.push(...scores.map((score) => score.text));
        return scores.map(() => ({ outcome: "delivered" as const }));
      },
    });
    const { clock, forwarder } = aForwarder(new TestQueue([aRow(1, { text: "words" })]), sink, { text });
    await clock.until(forwarder.runOnce());
    expect(seen).toEqual([expected]);
  });
});
