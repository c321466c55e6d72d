import { expect, it } from "vitest";
import { TestClock } from "../options/clock.fixture.ts";
import { aForwarder, aRunningForwarder, delivered } from "../delivery/forwarder.fixture.ts";
import { TestQueue } from "../delivery/score-queue.fixture.ts";
import { defineSink, fanOut, type DeliverableScore, type Outcome } from "../forwarder.ts";

const busy: Outcome = { outcome: "retry", scope: "sink", reason: "far: 503" };

/** Two sinks as one, one of which the test can break; they answer at once. */
function twoSinks(scores: number, broken: (score: DeliverableScore) => Outcome = () => busy) {
  const turns = { most: 0, now: 0 };
  const clock = Object.assign(new TestClock(), {
    turn: () => {
      turns.now = 0;
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
  });
  const queue = new TestQueue(scores);
  const pushed: string[] = [];
  const state = { isBroken: true, probes: 0 };
  const near = defineSink({
    name: "near",
    deliver: async ([score]): Promise<Outcome[]> => {
      pushed.push(score!.id);
      return [delivered];
    },
  });
  const far = defineSink({
    name: "far",
    deliver: async ([score]): Promise<Outcome[]> => {
      if (state.isBroken) state.probes += 1;
      return [state.isBroken ? broken(score!) : delivered];
    },
  });
  const both = fanOut([near, far], { clock: () => clock.now() });
  const counted = defineSink({
    ...both,
    deliver(scores, options) {
      turns.now += scores.length;
      turns.most = Math.max(turns.most, turns.now);
      return both.deliver(scores, options);
    },
  });
  return { clock, queue, pushed, state, turns, sink: counted };
}

/** In steps: the event loop gets some turns in each, and sinks that answer at once need many. */
async function advanceInSteps(clock: TestClock, steps: number, stepInMs: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await clock.advance(stepInMs);
}

it("a long queue before one dead sink reaches the others once, and it when it is back", async () => {
  const { clock, queue, pushed, state, turns, sink } = twoSinks(14_000);
  const { finish } = aRunningForwarder(queue, sink, { clock });
  await advanceInSteps(clock, 60, 10_000);
  expect(pushed).toHaveLength(14_000);
  expect(state.probes).toBeLessThan(40);
  expect(turns.most).toBeLessThan(1200);
  state.isBroken = false;
  await advanceInSteps(clock, 120, 10_000);
  expect(queue.count("delivered")).toBe(14_000);
  expect(pushed).toHaveLength(14_000);
  expect(new Set(pushed).size).toBe(14_000);
  await finish();
});

it("a single run over a long queue before one dead sink has an end", async () => {
  const { clock, queue, pushed, sink } = twoSinks(12_000);
  const { forwarder } = aForwarder(queue, sink, { clock });
  const startedAt = clock.now();
  const summary = await clock.until(forwarder.runOnce());
  expect(summary).toMatchObject({ delivered: 0, unacknowledged: 0 });
  expect(summary.deferred).toBe(12_000);
  expect(pushed).toHaveLength(12_000);
  expect(clock.now() - startedAt).toBeLessThan(600_000);
});

it("ten thousand scores that one sink cannot place yet keep none of the others from the other", async () => {
  const isUnplaced = (id: string) => Number(id.slice("score-".length)) <= 10_000;
  const unknown: Outcome = { outcome: "retry", reason: "far: 404" };
  const broken = ({ id }: DeliverableScore) => (isUnplaced(id) ? unknown : delivered);
  const { clock, queue, pushed, sink } = twoSinks(12_000, broken);
  const { finish } = aRunningForwarder(queue, sink, { clock });
  await advanceInSteps(clock, 200, 1000);
  expect(pushed).toHaveLength(12_000);
  expect(queue.count("delivered")).toBe(2000);
  await finish();
});
