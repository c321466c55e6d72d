import { describe, expect, it } from "vitest";
import { aRow } from "./score-queue.fixture.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { scoreValue } from "../scores/score-value.ts";
import { SinkCalls } from "./sink-calls.ts";
import { defineSink, type DeliverableScore, type Outcome } from "../scores/sink.ts";

const timeoutInMs = 5000;
const delivered: Outcome[] = [{ outcome: "delivered" }];
const gaveUp = (problem: string): Outcome[] => [
  { outcome: "retry", scope: "sink", reason: `sink slow ${problem}` },
];

/** Calls of a sink that answers when it is told to. */
async function slowSink() {
  const clock = new TestClock();
  const answers = new Map<string, (outcomes: Outcome[]) => void>();
  const aborted: string[] = [];
  const sink = defineSink({
    name: "slow",
    deliver: ([score], { signal }) => {
      signal.addEventListener("abort", () => aborted.push(score!.id));
      return new Promise((resolve) => answers.set(score!.id, resolve));
    },
  });
  const calls = new SinkCalls({ sink, clock, sinkTimeoutInMs: timeoutInMs });
  const scores = await Promise.all([1, 2, 3].map((number) => scoreValue()(aRow(number))));
  const deliver = (number: number) => calls.deliver([scores[number - 1] as DeliverableScore]);
  return {
    clock,
    calls,
    aborted,
    deliver,
    answer: (number: number) => answers.get(`row-${number}`)!(delivered),
  };
}

describe("calls of a sink", () => {
  it("end in the order of the answers, each with its own", async () => {
    const { deliver, answer } = await slowSink();
    const [first, second, third] = [deliver(1), deliver(2), deliver(3)];
    answer(3);
    expect(await third).toEqual(delivered);
    answer(1);
    expect(await first).toEqual(delivered);
    answer(2);
    expect(await second).toEqual(delivered);
  });

  it("are given up each at its own time, and abort their requests", async () => {
    const { clock, deliver, answer, aborted } = await slowSink();
    const [first, second] = [deliver(1), deliver(2)];
    await clock.advance(2000);
    const third = deliver(3);
    answer(1);
    await clock.advance(3000);
    expect(await second).toEqual(gaveUp("did not answer in time"));
    expect(aborted).toEqual(["row-2"]);
    await clock.advance(2000);
    expect(await third).toEqual(gaveUp("did not answer in time"));
    expect(aborted).toEqual(["row-2", "row-3"]);
    expect(await first).toEqual(delivered);
  });

  it("that are answered after they were given up change nothing", async () => {
    const { clock, deliver, answer } = await slowSink();
    const first = deliver(1);
    await clock.advance(timeoutInMs);
    expect(await first).toEqual(gaveUp("did not answer in time"));
    const second = deliver(2);
    answer(1);
    await clock.advance(timeoutInMs - 1);
    answer(2);
    expect(await second).toEqual(delivered);
  });

  it("are all cut off when the forwarder must be gone", async () => {
    const { calls, deliver, aborted } = await slowSink();
    const open = [deliver(1), deliver(2), deliver(3)];
    calls.cut();
    for (const call of open) expect(await call).toEqual(gaveUp("was cut off"));
    expect(aborted.toSorted()).toEqual(["row-1", "row-2", "row-3"]);
  });
});
