import fc from "fast-check";
import type { PendingScore, ScoreResult } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { TestClock } from "../options/clock.fixture.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import { ForwarderCore } from "./forwarder-core.ts";
import { deliverySettings } from "./forwarder-options.ts";
import type { Effect } from "./agenda.ts";
import type { Pushed } from "./forwarder-state.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

const rejected: Outcome = { outcome: "permanent", reason: "400" };
const outcomes: Outcome[] = [
  { outcome: "delivered" },
  { outcome: "retry", reason: "404" },
  { outcome: "retry", scope: "sink", reason: "503", afterInMs: 2000 },
  rejected,
  { outcome: "fatal", reason: "403" },
];
const unavailable = new ApiError({ method: "GET", path: "/v1/sdk/pending-scores", status: 503 });

type Change = (core: ForwarderCore, now: number) => void;

/** A service, a sink and the core, whose effects wait until the test lets them happen, in any order. */
class World {
  readonly core: ForwarderCore;
  readonly scores: PendingScore[] = [];
  readonly serviceStates = new Map<string, "pending" | "delivered" | "failed">();
  readonly decided = new Map<string, "delivered" | "failed">();
  readonly #pushing = new Set<string>();
  readonly open: Effect[] = [];
  readonly #pageSize: number;
  /** Whether the sink refuses every score for good. */
  isRejecting = false;
  /** What was pending when the page under way was asked for. */
  #asked = new Set<string>();
  /** Scores refused for good in a row: behind the fifth all others are kept. */
  #rejected = 0;
  now = 0;
  #wakeAt = Infinity;
  hasEnded = false;

  constructor(batchSize: number, concurrency: number, pageSize = 3) {
    this.#pageSize = pageSize;
    const sink = { name: "test", batchSize, deliver: async () => [] };
    const environment = { clock: new TestClock(), random: () => 1, consumer: "c" };
    this.core = new ForwarderCore(
      deliverySettings({ client: new TestQueue(0), sink, concurrency, ...environment }),
    );
  }

  add(): void {
    const score = aPendingScore(this.scores.length + 1);
    this.scores.push(score);
    this.serviceStates.set(score.id, "pending");
  }

  happened(change: Change): void {
    change(this.core, this.now);
    const { effects, wakeAt } = this.core.plan(this.now);
    this.#wakeAt = wakeAt;
    for (const effect of effects) this.#note(effect);
    if (this.core.run && wakeAt === Infinity) this.#demandAnswer();
  }

  /** A core that asks for no wake-up goes on only when something that is under way is answered. */
  #demandAnswer(): void {
    const { calls, reader, run } = this.core;
    if (this.open.length === 0) throw new Error("nothing is under way, and the core is not woken");
    const isPolling = this.open.some((effect) => effect.do === "poll" && effect.pass === reader.pass);
    const mustPoll = run?.isSingle === false && run.isWorking && calls.hasRoom(this.now);
    if (mustPoll && !isPolling) throw new Error("the queue is not read again while calls hang");
  }

  /** Moves to the next moment that the core waits for, or a second on. */
  pass(): void {
    const isWoken = this.#wakeAt < Infinity;
    this.now = isWoken ? this.#wakeAt : this.now + 1000;
    if (isWoken) this.happened(() => undefined);
  }

  /** All goes well from now on. Returns the scores that the service or the core has not settled in the end. */
  settle(): string[] {
    this.isRejecting = false;
    for (let turn = 0; turn < 3000 && this.#unsettled.length > 0; turn += 1) {
      // Refusals of everything have ended the run.
      if (this.hasEnded) this.begin("poll");
      if (this.open.length > 0) this.happen(0, 0);
      else this.pass();
    }
    return this.#unsettled;
  }

  get #unsettled(): string[] {
    return [...this.#pending, ...[...this.core.book.all].map(({ id }) => id)];
  }

  begin(mode: "poll" | "drain"): void {
    this.hasEnded = false;
    this.happened((core, now) => core.begin(mode, now));
  }

  #note(effect: Effect): void {
    if (effect.do === "push") this.#notePush(effect.scores);
    if (effect.do === "acknowledge") this.#noteAck(effect.results);
    if (effect.do === "poll") this.#asked = new Set(this.#pending);
    if (effect.do === "end") this.hasEnded = true;
    else this.open.push(effect);
  }

  #notePush(scores: readonly PendingScore[]): void {
    for (const { id } of scores) {
      if (this.#pushing.has(id)) throw new Error(`${id} is pushed twice at once`);
      if (this.decided.has(id)) throw new Error(`${id} is pushed after its outcome`);
      this.#pushing.add(id);
    }
  }

  #noteAck(results: readonly ScoreResult[]): void {
    if (this.open.some((effect) => effect.do === "acknowledge"))
      throw new Error("two acknowledgements are under way");
    const early = results.find(({ id, state }) => this.decided.get(id) !== state);
    if (early) throw new Error(`${early.id} is acknowledged before its outcome`);
  }

  /** One open effect happens: with `luck` 0 it goes well. */
  happen(place: number, luck: number): void {
    const [effect] = this.open.splice(place % this.open.length, 1);
    if (effect?.do === "poll") this.#poll(effect, luck);
    if (effect?.do === "push") this.#push(effect, luck);
    if (effect?.do === "acknowledge") this.#acknowledge(effect.results, luck % 4);
  }

  get #pending(): string[] {
    return this.scores.map(({ id }) => id).filter((id) => this.serviceStates.get(id) === "pending");
  }

  /** The page shows the queue as it is, or was when the page was asked for. */
  #poll({ pass, cursor = "0" }: Extract<Effect, { do: "poll" }>, luck: number): void {
    if (luck % 4 === 3) return this.happened((core, now) => core.pageFailed(pass, unavailable, now));
    const listed = luck % 4 === 1 ? this.#asked : new Set(this.#pending);
    const pending = this.scores.filter(({ id }, index) => index >= Number(cursor) && listed.has(id));
    const scores = pending.slice(0, this.#pageSize);
    const end = String(this.scores.indexOf(scores.at(-1)!) + 1);
    const nextCursor = pending.length > this.#pageSize ? end : undefined;
    this.happened((core, now) => core.acceptPage(pass, { scores, nextCursor }, now));
  }

  #push({ call, scores }: Extract<Effect, { do: "push" }>, luck: number): void {
    const given = scores.map(({ id }, index): Pushed => {
      const score = { id } as DeliverableScore;
      if (this.isRejecting) return { score, outcome: rejected };
      const outcome = outcomes[luck === 0 ? 0 : (luck + index) % 6];
      return outcome ? { score, outcome } : { outcome: { outcome: "retry", reason: "no redactor" } };
    });
    for (const [index, { outcome }] of given.entries())
      if (this.core.calls.isOpen(call)) this.#decide(scores[index]!.id, outcome);
    this.happened((core, now) => core.finishCall(call, given, now));
  }

  #decide(id: string, outcome: Outcome | undefined): void {
    this.#pushing.delete(id);
    if (outcome?.outcome === "delivered") {
      this.#rejected = 0;
      this.decided.set(id, "delivered");
    } else if (outcome?.outcome === "permanent" && this.#rejected < 5) {
      this.#rejected += 1;
      this.decided.set(id, "failed");
    }
  }

  #acknowledge(results: readonly ScoreResult[], luck: number): void {
    // The request is lost, or takes effect, whose reply may be lost.
    if (luck !== 1) for (const { id, state } of results) this.serviceStates.set(id, state);
    if (luck === 0) this.happened((core) => core.acknowledged());
    else this.happened((core, now) => core.ackFailed(unavailable, now));
  }
}

/** What happens next: a score comes, time passes, or one of the open effects happens, well or not. */
const chaos = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant({ does: "add" as const, place: 0, luck: 0 }) },
    { weight: 2, arbitrary: fc.constant({ does: "pass" as const, place: 0, luck: 0 }) },
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant("happen" as const), place: fc.nat(20), luck: fc.nat(9) }),
    },
  ),
  // Without a size most cases would be a few steps long.
  { maxLength: 300, size: "max" },
);
const sizes = { batchSize: fc.integer({ min: 1, max: 4 }), concurrency: fc.integer({ min: 1, max: 6 }) };

function run(
  world: World,
  steps: readonly { does: "add" | "pass" | "happen"; place: number; luck: number }[],
) {
  for (const { does, place, luck } of steps) {
    if (world.hasEnded) return;
    if (does === "add") world.add();
    else if (does === "pass" || world.open.length === 0) world.pass();
    else world.happen(place, luck);
  }
}

// Fewer where each fault of the core is tried on its own (test/mutation).
const { numRuns = 300 } = fc.readConfigureGlobal();
const runs = { numRuns };

describe("whatever happens in whatever order", () => {
  it("no score is lost, acknowledged before its outcome, or pushed twice at once", () => {
    fc.assert(
      fc.property(chaos, sizes.batchSize, sizes.concurrency, (steps, batchSize, concurrency) => {
        const world = new World(batchSize, concurrency);
        world.add();
        world.begin("poll");
        run(world, steps);
        expect(world.settle()).toEqual([]);
      }),
      runs,
    );
  });

  it("a long backlog that the sink refuses as a whole is delivered once it takes scores again", () => {
    const backlog = fc.integer({ min: 150, max: 320 });
    const turns = fc.integer({ min: 0, max: 2500 });
    fc.assert(
      fc.property(chaos, backlog, turns, sizes.batchSize, (steps, scores, count, batchSize) => {
        const world = new World(batchSize, 4, 100);
        for (let score = 0; score < scores; score += 1) world.add();
        world.isRejecting = true;
        world.begin("poll");
        for (let turn = 0; turn < count; turn += 1) {
          const { does = "happen", place = 0 } = steps[turn % steps.length] ?? {};
          run(world, [{ does: does === "add" ? "happen" : does, place, luck: 0 }]);
        }
        expect(world.settle()).toEqual([]);
      }),
      { numRuns: Math.ceil(numRuns / 15) },
    );
  });

  it("a single run ends, and its scores are delivered or pending", () => {
    fc.assert(
      fc.property(chaos, sizes.batchSize, sizes.concurrency, (steps, batchSize, concurrency) => {
        const world = new World(batchSize, concurrency);
        for (let score = 0; score < 7; score += 1) world.add();
        world.begin("drain");
        run(world, steps);
        for (let turn = 0; turn < 1000 && !world.hasEnded; turn += 1) {
          if (world.open.length > 0) world.happen(0, 0);
          else world.pass();
        }
        expect(world.hasEnded).toBe(true);
      }),
      runs,
    );
  });

  it("it ends after stop within the drain time, although nothing is answered any more", () => {
    fc.assert(
      fc.property(chaos, sizes.batchSize, sizes.concurrency, (steps, batchSize, concurrency) => {
        const world = new World(batchSize, concurrency);
        world.add();
        world.begin("poll");
        run(world, steps);
        const stoppedAt = world.now;
        world.hasEnded = false;
        world.happened((core, now) => core.stop(now));
        for (let turn = 0; turn < 100 && !world.hasEnded; turn += 1) world.pass();
        expect(world.hasEnded).toBe(true);
        expect(world.now - stoppedAt).toBeLessThanOrEqual(9000);
      }),
      runs,
    );
  });
});

/** A core for which the test plays service and sink, one call at a time. */
function aCore(batchSize = 1) {
  const sink = { name: "test", batchSize, deliver: async () => [] };
  const environment = { clock: new TestClock(), random: () => 1, consumer: "c" };
  const options = { client: new TestQueue(0), sink, concurrency: 1, includeFailed: true, ...environment };
  const core = new ForwarderCore(deliverySettings(options));
  let last: Extract<Effect, { do: "push" }>;
  const effectsOf = (change: Change, now: number) => {
    change(core, now);
    const { effects } = core.plan(now);
    for (const effect of effects) if (effect.do === "push") last = effect;
    return effects;
  };
  const page = (pass: number, numbers: number[], nextCursor?: string): Change => {
    const scores = numbers.map((number) => aPendingScore(number));
    return (core, now) => core.acceptPage(pass, { scores, nextCursor }, now);
  };
  /** The last call ends with this outcome of all its scores. */
  const ended =
    (outcome: Outcome): Change =>
    (core, now) => {
      const pushed = last.scores.map(({ id }) => ({ score: { id } as DeliverableScore, outcome }));
      core.finishCall(last.call, pushed, now);
    };
  return { core, effectsOf, page, ended };
}

it("with 50,000 scores deferred takes no others and reads no further, until one of them is due", () => {
  const { core, effectsOf, page, ended } = aCore(100_000);
  const hour = 3_600_000;
  const all = Array.from({ length: 50_000 }, (_, index) => index + 1);
  effectsOf((core, now) => core.begin("poll", now), 0);
  effectsOf(page(1, all, "more"), 0);
  effectsOf(ended({ outcome: "retry", reason: "404", afterInMs: hour }), 0);
  expect(effectsOf(page(1, [50_001, 50_002], "more"), 0)).toEqual([]);
  expect([core.book.count("listed"), core.book.count("deferred")]).toEqual([0, 50_000]);
  const again = { do: "poll", pass: 2, cursor: undefined, includeFailed: true };
  expect(effectsOf(() => undefined, hour)).toEqual([again]);
  expect(effectsOf(page(2, [1, 50_001], "more"), hour)).toMatchObject([
    { do: "poll", cursor: "more" },
    { do: "push", scores: [{ id: "score-1" }, { id: "score-50001" }] },
  ]);
});

it("pushes no score that was listed over a minute ago, also one that it has tried before", () => {
  const { effectsOf, page, ended } = aCore();
  effectsOf((core, now) => core.begin("poll", now), 0);
  effectsOf(page(1, [1]), 0);
  effectsOf(ended({ outcome: "retry", reason: "404" }), 0);
  effectsOf(() => undefined, 2000);
  expect(effectsOf(page(2, [2, 1]), 2000)).toMatchObject([{ do: "push", scores: [{ id: "score-2" }] }]);
  effectsOf(ended({ outcome: "retry", scope: "sink", reason: "503", afterInMs: 61_000 }), 3000);
  expect(effectsOf(() => undefined, 64_000)).toMatchObject([{ do: "poll", pass: 3 }]);
});

it("acknowledges what a sink has taken before a crash, in the next run", () => {
  const { core, effectsOf, page, ended } = aCore();
  effectsOf((one, now) => one.begin("drain", now), 0);
  effectsOf(page(1, [1]), 0);
  effectsOf((one) => one.crash(), 0);
  effectsOf(ended({ outcome: "delivered" }), 0);
  effectsOf((one, now) => one.begin("drain", now), 0);
  expect(core.acks.unsent).toBe(1);
});
