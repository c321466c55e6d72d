import { describe, expect, it } from "vitest";
import { aForwarder, TestSink } from "../delivery/forwarder.fixture.ts";
import { TestQueue } from "../delivery/score-queue.fixture.ts";
import { defineSink, type ErasureOutcome, type Outcome, type Sink } from "../scores/sink.ts";
import { fanOut } from "./fan-out.ts";
import { aScore, times, untilAborted } from "./score.fixture.ts";

/** A sink that answers what the test says, and notes what it was given. */
function scripted(name: string, answer: (id: string) => Outcome, more: Partial<Sink> = {}) {
  const calls: string[][] = [];
  const sink = defineSink({
    name,
    deliver: async (scores) => {
      calls.push(scores.map(({ id }) => id));
      return scores.map(({ id }) => answer(id));
    },
    ...more,
  });
  return { sink, calls };
}

const delivered: Outcome = { outcome: "delivered" };
const ids = (...names: string[]) => names.map((id) => aScore({ id }));

describe("one of several sinks that fails as a whole", () => {
  const down: Outcome = { outcome: "retry", scope: "sink", reason: "far: 503" };

  /** One that works and one that answers what the test says; time is in the test's hands. */
  function nearAndFar() {
    const state = { now: 0, answer: down };
    const near = scripted("near", () => delivered);
    const far = scripted("far", () => state.answer);
    const sink = fanOut([near.sink, far.sink], { clock: () => state.now });
    const deliver = async (id: string) => (await sink.deliver(ids(id), untilAborted()))[0];
    return { state, near, far, deliver };
  }

  it("is left in peace for longer after each probe, up to a minute, while the others go on", async () => {
    const { state, near, far, deliver } = nearAndFar();
    const probedAt: number[] = [];
    for (; state.now < 300_000; state.now += 100) {
      const before = far.calls.length;
      expect(await deliver(`at-${state.now}`)).toMatchObject({ outcome: "retry", scope: "score" });
      if (far.calls.length > before) probedAt.push(state.now / 1000);
    }
    expect(probedAt).toEqual([0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7, 25.5, 51.1, 102.3, 162.3, 222.3, 282.3]);
    expect(near.calls).toHaveLength(3000);
  });

  it("is left in peace for as long as it asks", async () => {
    const { state, far, deliver } = nearAndFar();
    state.answer = { ...down, afterInMs: 20_000 };
    expect(await deliver("a")).toMatchObject({ afterInMs: 20_000 });
    state.now = 19_000;
    expect(await deliver("b")).toMatchObject({ afterInMs: 1000, reason: "far: 503; delivered to near" });
    expect(far.calls).toEqual([["a"]]);
    state.now = 20_000;
    state.answer = { ...down, afterInMs: 1e9 };
    expect(await deliver("b")).toMatchObject({ afterInMs: 1e9 });
    state.now += 3_600_000;
    expect(await deliver("b")).toMatchObject({ afterInMs: 1e9 });
    expect(far.calls).toEqual([["a"], ["b"], ["b"]]);
  });

  it("gets all that waits for it when it is back, and the others get nothing twice", async () => {
    const { state, near, far, deliver } = nearAndFar();
    await deliver("a");
    await deliver("b");
    state.answer = delivered;
    state.now = 1000;
    expect([await deliver("a"), await deliver("b")]).toEqual([delivered, delivered]);
    expect([near.calls, far.calls]).toEqual([
      [["a"], ["b"]],
      [["a"], ["a"], ["b"]],
    ]);
  });

  it("is probed by one call at a time, and is not taken for well by a call that began before it failed", async () => {
    const answers: ((outcome: Outcome) => void)[] = [];
    const deliver = () => new Promise<Outcome[]>((resolve) => answers.push((one) => resolve([one])));
    let now = 0;
    const sink = fanOut([scripted("near", () => delivered).sink, defineSink({ name: "far", deliver })], {
      clock: () => now,
    });
    const calls = ["a", "b"].map((id) => sink.deliver(ids(id), untilAborted()));
    answers[0]!(down);
    answers[1]!(delivered);
    await Promise.all(calls);
    await sink.deliver(ids("c"), untilAborted());
    expect(answers).toHaveLength(2);
    now = 1000;
    const probe = sink.deliver(ids("d"), untilAborted());
    expect(await sink.deliver(ids("e"), untilAborted())).toMatchObject([{ outcome: "retry" }]);
    expect(answers).toHaveLength(3);
    answers[2]!(delivered);
    expect(await probe).toEqual([delivered]);
  });

  it("is probed again when a probe never ends", async () => {
    const silent = () => new Promise<Outcome[]>(() => undefined);
    const answers = [async () => [down], silent, async () => [delivered]];
    let now = 0;
    const far = defineSink({ name: "far", deliver: () => answers.shift()!() });
    const sink = fanOut([scripted("near", () => delivered).sink, far], { clock: () => now });
    await sink.deliver(ids("a"), untilAborted());
    now = 1000;
    void sink.deliver(ids("a"), untilAborted());
    now = 60_999;
    expect(await sink.deliver(ids("b"), untilAborted())).toMatchObject([{ outcome: "retry" }]);
    now = 61_000;
    expect(await sink.deliver(ids("b"), untilAborted())).toEqual([delivered]);
  });

  it("stops the forwarder's pushing only when all of them have failed", async () => {
    const alike = (name: string) => scripted(name, () => down).sink;
    const [outcome] = await fanOut([alike("one"), alike("two")]).deliver(ids("a"), untilAborted());
    expect(outcome).toMatchObject({ outcome: "retry", scope: "sink" });
  });
});

describe("several sinks as one", () => {
  it("deliver when all have the score, in batches that each of them takes", async () => {
    const one = scripted("one", () => delivered, { batchSize: 2 });
    const two = scripted("two", () => delivered, { batchSize: 3 });
    const sink = fanOut([one.sink, two.sink]);
    expect([sink.name, sink.batchSize]).toEqual(["one+two", 2]);
    expect(await sink.deliver(ids("a", "b"), untilAborted())).toEqual(times(2, delivered));
    expect([one.calls, two.calls]).toEqual([[["a", "b"]], [["a", "b"]]]);
  });

  it("keep an outcome per sink, and do not ask again the one that has the score", async () => {
    let isBusy = true;
    const ready = scripted("ready", () => delivered);
    const busy = scripted("busy", () =>
      isBusy ? { outcome: "retry", reason: "busy: 429", afterInMs: 5000 } : delivered,
    );
    const sink = fanOut([ready.sink, busy.sink]);
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([
      { outcome: "retry", scope: "score", reason: "busy: 429; delivered to ready", afterInMs: 5000 },
    ]);
    isBusy = false;
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([delivered]);
    expect(ready.calls).toEqual([["a"]]);
    expect(busy.calls).toEqual([["a"], ["a"]]);
  });

  it("do not ask again those that had a score before the call was aborted because of another", async () => {
    let isHanging = true;
    const slow = scripted("slow", () => delivered);
    const deliver: Sink["deliver"] = (scores, { signal }) => {
      const ended = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
      const hangs = isHanging && scores.some(({ id }) => id === "b");
      return hangs ? ended : slow.sink.deliver(scores, { signal });
    };
    let isBusy = true;
    const other = scripted("other", () => (isBusy ? { outcome: "retry", reason: "busy" } : delivered));
    let now = 0;
    const sink = fanOut([{ ...slow.sink, deliver }, other.sink], { clock: () => now });
    await sink.deliver(ids("a"), untilAborted());
    isBusy = false;
    const late = new AbortController();
    const aborted = sink.deliver(ids("a", "b"), { signal: late.signal });
    late.abort();
    await aborted;
    isHanging = false;
    now += 60_000;
    expect(await sink.deliver(ids("a", "b"), untilAborted())).toEqual([delivered, delivered]);
    expect([slow.calls, other.calls]).toEqual([
      [["a"], ["b"]],
      [["a"], ["a", "b"]],
    ]);
  });

  it("refuse a score when each has decided and one has refused it, and say who has it", async () => {
    const sink = fanOut([
      scripted("one", () => delivered).sink,
      scripted("two", () => ({ outcome: "permanent", reason: "two: 400" })).sink,
    ]);
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([
      { outcome: "permanent", reason: "two: 400; delivered to one" },
    ]);
  });

  it.each([
    [["retry", "permanent"], "retry"],
    [["fatal", "fatal"], "fatal"],
    [["fatal", "retry"], "retry"],
    [["delivered", "fatal"], "retry"],
    [["permanent", "fatal"], "retry"],
    [["permanent", "permanent"], "permanent"],
  ] as const)("of %j make %s: nothing is final while one may change", async ([first, second], expected) => {
    const branch = (name: string, outcome: Outcome["outcome"]) =>
      scripted(name, () => (outcome === "delivered" ? delivered : { outcome, reason: name })).sink;
    const [together] = await fanOut([branch("a", first), branch("b", second)]).deliver(
      ids("x"),
      untilAborted(),
    );
    expect(together?.outcome).toBe(expected);
  });

  it.each<[string, () => Promise<Outcome[]>]>([
    ["rejects", () => Promise.reject(new Error("secret words"))],
    [
      "throws",
      () => {
        throw new Error("secret words");
      },
    ],
    ["answers too little", async () => []],
    ["answers nothing", async () => undefined as unknown as Outcome[]],
    ["answers something else", async () => [{ outcome: "ok" } as unknown as Outcome]],
  ])("outlive one that %s, and do not take it for a delivery", async (_, deliver) => {
    const sink = fanOut([scripted("good", () => delivered).sink, defineSink({ name: "bad", deliver })]);
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([
      {
        outcome: "retry",
        scope: "score",
        reason: expect.stringMatching(/^sink bad .+; delivered to good$/),
        afterInMs: undefined,
      },
    ]);
  });

  it("keep the person's words by default only if each of them would", () => {
    const local = scripted("local", () => delivered, { textByDefault: "include" }).sink;
    expect(fanOut([local]).textByDefault).toBe("include");
    expect(fanOut([local, scripted("far", () => delivered).sink]).textByDefault).toBe("omit");
  });

  it("erase everywhere, and say where it was not possible", async () => {
    const erases = scripted("erases", () => delivered, {
      eraseScores: async () => [{ outcome: "erased" }],
    }).sink;
    const cannot = scripted("cannot", () => delivered).sink;
    const fails = scripted("fails", () => delivered, {
      eraseScores: () => Promise.reject(new Error("no")),
    }).sink;
    const score = [{ id: "a", surveyId: null, name: "afterword.srv_csat", at: null }];
    expect(await fanOut([erases]).eraseScores?.(score, untilAborted())).toEqual([{ outcome: "erased" }]);
    expect(await fanOut([erases, cannot]).eraseScores?.(score, untilAborted())).toEqual([
      { outcome: "unsupported", reason: "cannot: scores can only be deleted by hand" },
    ]);
    expect(await fanOut([erases, cannot, fails]).eraseScores?.(score, untilAborted())).toEqual([
      {
        outcome: "failed",
        reason: expect.stringMatching(/^cannot: scores .* by hand; fails: threw Error at /),
      },
    ]);
    const busy: ErasureOutcome = { outcome: "failed", reason: "busy", afterInMs: 7 };
    const waits = scripted("waits", () => delivered, { eraseScores: async () => [busy] }).sink;
    expect(await fanOut([erases, waits]).eraseScores?.(score, untilAborted())).toEqual([busy]);
  });

  it("close together", async () => {
    const closed: string[] = [];
    const closing = (name: string) =>
      scripted(name, () => delivered, { close: async () => void closed.push(name) }).sink;
    await fanOut([closing("a"), closing("b"), scripted("c", () => delivered).sink]).close?.();
    expect(closed).toEqual(["a", "b"]);
  });

  it("need different names, and at least one", () => {
    expect(() => fanOut([])).toThrow(/at least one/);
    const twin = scripted("twin", () => delivered).sink;
    expect(() => fanOut([twin, twin])).toThrow(/twin, twin/);
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
