import { describe, expect, it } from "vitest";
import * as api from "@opentelemetry/api";
import { fanOut, type Outcome, type Sink } from "../forwarder.ts";
import { openTelemetry } from "./telemetry.ts";
import { aForwarder, aRunningForwarder, delivered, type Given, TestSink } from "./forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

const words = "what a person wrote";
const broken = () => {
  throw new RangeError(words);
};
const throwing = (known: object, field: string) => Object.defineProperty(known, field, { get: broken });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const thenable = (then: (resolve: unknown, reject: (why: unknown) => void) => void) =>
  new Proxy({}, { get: (_, name) => (name === "then" ? then : undefined) });
class QuotaError extends Error {}

const sinkOf = (deliver: unknown, more: object = {}): Sink =>
  ({ name: "own", deliver, ...more }) as unknown as Sink;
const answering = (answer: (ids: readonly string[]) => unknown) =>
  sinkOf(async (scores: { id: string }[]) => answer(scores.map(({ id }) => id)));

/** What becomes of one score at a sink, alone and beside one that works. */
async function fateOf(sink: Sink) {
  const outcomes: Outcome[] = [];
  const onOutcome = (_: unknown, outcome: Outcome) => void outcomes.push(outcome);
  const alone = aRunningForwarder(new TestQueue(1), sink, { onOutcome });
  await alone.clock.advance(500);
  const good = new TestSink();
  const queue = new TestQueue(1);
  const together = aRunningForwarder(queue, fanOut([good, sink]));
  await together.clock.advance(500);
  const reasonBeside = together.forwarder.health().lastProblem;
  const waits = alone.forwarder.health().pending === 1 && queue.count("pending") === 1;
  for (const { finish } of [alone, together]) await finish();
  return { outcome: outcomes[0], waits, reasonBeside };
}

describe("an outcome with a known word keeps it", () => {
  it.each<[string, object, string]>([
    ["no reason", {}, "gave no reason"],
    ["null as reason", { reason: null }, "gave no reason"],
    ["a number as reason", { reason: 503 }, "gave no reason"],
    ["an object as reason", { reason: { text: words } }, "gave no reason"],
    ["a symbol as reason", { reason: Symbol(words) }, "gave no reason"],
    ["a reason without words", { reason: " \n" }, "gave no reason"],
    ["a reason that cannot be read", throwing({}, "reason"), "gave no reason"],
    ["an error as reason", { reason: new TypeError(words) }, "TypeError"],
    ["an error of an own class as reason", { reason: new QuotaError(words) }, "QuotaError"],
    ["a reason of two lines", { reason: "busy\r\nnow" }, "busy now"],
  ])("with %s", async (_, parts, reason) => {
    for (const outcome of ["retry", "permanent", "fatal"] as const) {
      const fate = await fateOf(
        answering((ids) =>
          ids.map(() => Object.defineProperties({ outcome }, Object.getOwnPropertyDescriptors(parts))),
        ),
      );
      expect(fate.outcome).toMatchObject({ outcome, reason });
      expect(fate.reasonBeside).toContain(reason);
      expect(fate.waits).toBe(outcome !== "permanent");
    }
  });

  it("with a reason of a megabyte, of which a thousand characters are kept", async () => {
    const fate = await fateOf(answering(() => [{ outcome: "permanent", reason: "x".repeat(1e6) }]));
    expect(fate.outcome).toEqual({ outcome: "permanent", reason: "x".repeat(1000) });
  });

  it.each<[unknown]>([[Symbol("1")], ["soon"], [-1], [Number.NaN], [{}], [1n], [new Date(0)], [null]])(
    "with %s as wait, which counts as none",
    async (afterInMs) => {
      const parts = { outcome: "retry", reason: "busy", scope: Symbol("sink"), afterInMs };
      const { outcome } = await fateOf(answering(() => [parts]));
      expect(outcome).toEqual({ outcome: "retry", reason: "busy" });
    },
  );

  it("with an endless wait, which is an hour", async () => {
    const sink = answering(() => [{ outcome: "retry", reason: "busy", afterInMs: Infinity }]);
    const { clock, forwarder, finish } = aRunningForwarder(new TestQueue(1), sink);
    await clock.advance(1000);
    const [waiting] = forwarder.health().waiting;
    expect(Date.parse(waiting!.until!) - Date.parse(waiting!.since)).toBe(3_600_000);
    await finish();
  });
});

describe("everything else is retried, with a sentence that names the sink", () => {
  it.each<[string, () => unknown]>([
    ["null", () => [null]],
    ["undefined", () => [undefined]],
    ["a text", () => ["delivered"]],
    ["a text as object", () => [{ outcome: new String("delivered") }]],
    ["an unknown word", () => [{ outcome: "ok" }]],
    ["a word of the prototype", () => [{ outcome: "constructor" }]],
    ["an outcome that cannot be read", () => [throwing({}, "outcome")]],
    ["a revoked proxy", () => [revoked()]],
    ["a promise", () => [Promise.resolve(delivered)]],
    ["a promise that rejects", () => [Promise.reject(new Error(words))]],
    ["a hole", () => Array.from({ length: 1 })],
    ["a sparse array", () => Object.assign([], { length: 1 })],
    ["too few outcomes", () => []],
    ["too many outcomes", () => [delivered, delivered]],
    ["one outcome without an array", () => delivered],
    ["a set", () => new Set([delivered])],
    ["something like an array", () => ({ 0: delivered, length: 1 })],
    ["a revoked proxy as array", () => revoked()],
    ["nothing", () => undefined],
    ["null in place of an array", () => null],
    ["a thenable that rejects", () => thenable((_, reject) => reject(0))],
    ["a thenable that throws", () => thenable(broken)],
    ["an error that is thrown", broken],
    ["a text that is thrown", () => Promise.reject(words)],
    ["nothing that is thrown", () => Promise.reject()],
    ["a revoked proxy that is thrown", () => Promise.reject(revoked())],
    ["an error without a readable name", () => Promise.reject(throwing(new Error(words), "name"))],
  ])("such as %s", async (_, answer) => {
    for (const sink of [answering(answer), sinkOf(answer)]) {
      const { outcome, reasonBeside, waits } = await fateOf(sink);
      expect(outcome).toMatchObject({ outcome: "retry", reason: expect.stringMatching(/^sink own /) });
      expect(reasonBeside).toMatch(/^sink own .*; delivered to test$/);
      expect(JSON.stringify([outcome, reasonBeside])).not.toContain(words);
      expect(waits).toBe(true);
    }
  });

  it("while the outcomes beside it count", async () => {
    const sink = {
      ...answering((ids) => ids.map((id) => (id === "score-2" ? null : delivered))),
      batchSize: 3,
    };
    const { clock, forwarder } = aForwarder(new TestQueue(3), sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 2, deferred: 1 });
  });

  it("a sink that never answers delays one beside it only until its time is over", async () => {
    const queue = new TestQueue(50);
    const good = new TestSink();
    const { clock, forwarder, finish } = aRunningForwarder(
      queue,
      fanOut([good, sinkOf(() => new Promise(() => undefined))]),
    );
    await clock.advance(120_000);
    expect(new Set(good.pushed).size).toBe(50);
    expect(forwarder.health().sinks[1]!.lastProblem).toBe("sink own did not answer in time");
    await finish();
  });

  it("a sink may change what it is given", async () => {
    const sink = sinkOf(
      async (scores: { id: string }[]) => {
        const taken = scores.splice(0);
        for (const score of taken) score.id = "another";
        return taken.map(() => delivered);
      },
      { batchSize: 3 },
    );
    const queue = new TestQueue(3);
    const { clock, forwarder } = aForwarder(queue, sink);
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 3, isComplete: true });
    expect(queue.count("delivered")).toBe(3);
  });
});

describe("what is one's own ends no process and costs no score", () => {
  const rejecting = () => Promise.reject(new Error(words));
  const everyMethod = (method: () => unknown) => ({
    debug: method,
    info: method,
    warn: method,
    error: method,
  });
  it.each<[string, Given, Partial<Sink>?]>([
    ["a logger that throws", { logger: everyMethod(broken), onOutcome: broken }],
    ["a logger that rejects", { logger: everyMethod(rejecting) as never, onOutcome: broken }],
    ["a logger without methods", { logger: {} as never, onOutcome: broken }],
    ["a hook that rejects", { onOutcome: rejecting as never }],
    [
      "a hook that changes the outcome",
      { onOutcome: (_, outcome) => Object.assign(outcome, { outcome: 1 }) },
    ],
    ["parts that throw", {}, { parts: broken }],
    ["parts that are none", {}, { parts: () => [null] as never }],
    ["parts that need something that throws", {}, { parts: () => [{ name: "a", needs: broken }] as never }],
    ["a close that throws", {}, { close: broken }],
    ["a close that rejects with nothing", {}, { close: () => Promise.reject() }],
  ])("%s", async (_, options, parts = {}) => {
    const queue = new TestQueue(3);
    queue.offersLeases = false;
    const sink = Object.assign(new TestSink(), parts);
    const { clock, forwarder, finish } = aRunningForwarder(queue, sink, options);
    await clock.advance(65_000);
    expect(queue.count("delivered")).toBe(3);
    expect(forwarder.health()).toMatchObject({ state: "running", delivered: 3 });
    await finish();
  });

  type Call = () => Promise<unknown>;
  const calling = (way: (call: Call) => Promise<unknown>) =>
    Object.assign(Object.create(api.context), { with: (_: unknown, call: Call) => way(call) });
  it.each<[string, object]>([
    ["throws", { metrics: { getMeter: broken } }],
    ["throws before its call", { trace: { getTracer: () => ({ startSpan: broken }) } }],
    ["throws after its call", { context: calling((call) => call().then(broken)) }],
    ["makes no call", { context: calling(async () => []) }],
    ["calls twice", { context: calling((call) => call().then(call)) }],
  ])("an OpenTelemetry that %s loses and repeats no score", async (_, part) => {
    const sink = new TestSink();
    const telemetry = openTelemetry(Date.now, async () => ({ ...api, ...part }) as typeof api);
    const { clock, forwarder } = aForwarder(new TestQueue(3), sink, { telemetry });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 3 });
    expect(sink.pushed).toHaveLength(3);
  });

  it("a queue that throws something odd is tried again", async () => {
    const queue = new TestQueue(3);
    const odd = [Symbol(words), Object.create(null), Object.assign(new Error(), { message: 7 }), null];
    queue.beforePage = (poll) => {
      if (poll <= odd.length) throw odd[poll - 1];
    };
    const { clock, finish } = aRunningForwarder(queue, new TestSink());
    await clock.advance(60_000);
    expect(queue.count("delivered")).toBe(3);
    await finish();
  });

  it("a clock that fails rejects start, and stop still closes the sink", async () => {
    const sink = new TestSink();
    const { clock, forwarder } = aForwarder(new TestQueue(3), sink);
    const running = forwarder.start();
    const ends = expect(running).rejects.toThrow(words);
    await clock.settle();
    const { monotonic } = clock;
    clock.monotonic = broken;
    await clock.advance(5000);
    await ends;
    clock.monotonic = monotonic;
    expect(forwarder.health().state).toBe("failed");
    await clock.until(forwarder.stop());
    expect(sink.isClosed).toBe(true);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a function", () => undefined],
    ["a sink with a symbol as name", { name: Symbol("own"), deliver: async () => [] }],
    ["a sink with a symbol as batch size", { name: "own", batchSize: Symbol("1"), deliver: async () => [] }],
  ])("%s in place of a sink is a mistake that is named when the forwarder is made", (_, sink) => {
    for (const make of [() => sink as Sink, () => fanOut([sink as Sink])])
      expect(() => aForwarder(new TestQueue(1), make())).toThrow(/[Ss]ink /);
  });

  it("a redactor that throws something odd keeps its score back, and no other", async () => {
    const queue = new TestQueue([aPendingScore(1, { text: "bad" }), aPendingScore(2)]);
    const text = () => {
      throw revoked();
    };
    const { clock, forwarder } = aForwarder(queue, new TestSink(), { text });
    expect(await clock.until(forwarder.runOnce())).toMatchObject({ delivered: 1, deferred: 1 });
  });
});
