import { describe, expect, it } from "vitest";
import { defineSink, type Outcome, type Sink } from "../delivery/sink.ts";
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

describe("several sinks as one", () => {
  it("deliver when all have the score, in batches that each of them takes", async () => {
    const one = scripted("one", () => delivered, { batchSize: 2 });
    const two = scripted("two", () => delivered, { batchSize: 3 });
    const sink = fanOut([one.sink, two.sink]);
    expect([sink.name, sink.batchSize]).toEqual(["one+two", 2]);
    expect(await sink.deliver(ids("a", "b"), untilAborted())).toEqual(times(2, delivered));
    expect([one.calls, two.calls]).toEqual([[["a", "b"]], [["a", "b"]]]);
  });

  it("never make more calls of one at once than the forwarder makes of them together", async () => {
    const single = scripted("single", () => delivered);
    const sink = fanOut([single.sink, scripted("many", () => delivered, { batchSize: 100 }).sink]);
    expect(sink.batchSize).toBe(1);
  });

  it("are left in peace together while one of them is", async () => {
    const retry = (scope?: "sink" | "score") =>
      scripted(scope ?? "none", () => ({ outcome: "retry", scope, reason: "-" }));
    const scopeOf = async (...sinks: { sink: Sink }[]) =>
      (await fanOut(sinks.map(({ sink }) => sink)).deliver(ids("a"), untilAborted()))[0];
    expect(await scopeOf(retry(), retry("score"))).toMatchObject({ scope: "score" });
    expect(await scopeOf(retry("score"), retry("sink"))).toMatchObject({ scope: "sink" });
  });

  it("keep an outcome per sink, and do not ask again the one that has the score", async () => {
    let isBusy = true;
    const ready = scripted("ready", () => delivered);
    const busy = scripted("busy", () =>
      isBusy ? { outcome: "retry", reason: "busy: 429", afterInMs: 5000 } : delivered,
    );
    const seen: string[] = [];
    const sink = fanOut([ready.sink, busy.sink], {
      onOutcome: (name, { id }, { outcome }) => seen.push(`${name} ${id} ${outcome}`),
    });
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([
      { outcome: "retry", scope: "score", reason: "busy: 429; delivered to ready", afterInMs: 5000 },
    ]);
    isBusy = false;
    expect(await sink.deliver(ids("a"), untilAborted())).toEqual([delivered]);
    expect(ready.calls).toEqual([["a"]]);
    expect(busy.calls).toEqual([["a"], ["a"]]);
    expect(seen).toEqual(["ready a delivered", "busy a retry", "busy a delivered"]);
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
    [["fatal", "retry"], "fatal"],
    [["delivered", "fatal"], "fatal"],
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
        scope: "sink",
        reason: "bad threw or gave no outcome; delivered to good",
        afterInMs: undefined,
      },
    ]);
  });

  it("forget what is decided, and remember no more than they may", async () => {
    const ready = scripted("ready", () => delivered);
    const busy = scripted("busy", () => ({ outcome: "retry", reason: "busy" }));
    const sink = fanOut([ready.sink, busy.sink], { memorySize: 1 });
    for (const id of ["a", "b", "b", "a"]) await sink.deliver(ids(id), untilAborted());
    expect(ready.calls).toEqual([["a"], ["b"], ["a"]]);
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
    const score = [{ id: "a", surveyId: null, name: "afterword.rating", at: null }];
    expect(await fanOut([erases]).eraseScores?.(score, untilAborted())).toEqual([{ outcome: "erased" }]);
    expect(await fanOut([erases, cannot]).eraseScores?.(score, untilAborted())).toEqual([
      { outcome: "unsupported", reason: "cannot: scores can only be deleted by hand" },
    ]);
    expect(await fanOut([erases, cannot, fails]).eraseScores?.(score, untilAborted())).toEqual([
      { outcome: "failed", reason: "cannot: scores can only be deleted by hand; fails: Error" },
    ]);
  });

  it("close together", async () => {
    const closed: string[] = [];
    const closing = (name: string) =>
      scripted(name, () => delivered, { close: async () => void closed.push(name) }).sink;
    await fanOut([closing("a"), closing("b"), scripted("c", () => delivered).sink]).close?.();
    expect(closed).toEqual(["a", "b"]);
  });

  it("need names of their own, and at least one", () => {
    expect(() => fanOut([])).toThrow(/at least one/);
    const twin = scripted("twin", () => delivered).sink;
    expect(() => fanOut([twin, twin])).toThrow(/twin, twin/);
  });
});
