import { describe, expect, it } from "vitest";
import { TestClock } from "../options/clock.fixture.ts";
import { aRunningForwarder } from "../delivery/forwarder.fixture.ts";
import { TestQueue } from "../delivery/score-queue.fixture.ts";
import { defineSink, type DeliverableScore, type Outcome, type Sink } from "../forwarder.ts";
import { datadog } from "./datadog.ts";
import { fanOut } from "./fan-out.ts";
import { datadogReply, fakeFetch } from "./score.fixture.ts";

interface Given {
  beside?: Sink[];
  clock?: TestClock;
}

/** A running forwarder whose sink's service answers what the test says; time is in the test's hands. */
function forwarderTo(
  answer: () => Response | Promise<Response>,
  { beside = [], clock = new TestClock() }: Given = {},
) {
  const queue = new TestQueue(400);
  const { fetch, requests } = fakeFetch(answer);
  const far = datadog({ apiKey: "key", mlApp: "shop", fetch, clock: () => clock.now() });
  const sink = beside.length === 0 ? far : fanOut([far, ...beside], { clock: () => clock.now() });
  return { queue, requests, ...aRunningForwarder(queue, sink, { clock, concurrency: 8 }) };
}

describe("a service behind the forwarder", () => {
  it("that is broken beside others holds up none of them, and is caught up with", async () => {
    const near: string[] = [];
    const deliver = async (scores: readonly DeliverableScore[]) => {
      near.push(...scores.map(({ id }) => id));
      return scores.map((): Outcome => ({ outcome: "delivered" }));
    };
    let isBroken = true;
    const answer = () => datadogReply(isBroken ? 503 : 202);
    const beside = [defineSink({ name: "near", deliver })];
    const { clock, queue, requests, finish } = forwarderTo(answer, { beside });
    await clock.advance(20_000);
    expect(near).toHaveLength(400);
    // A first wave of calls at once, and then a probe after each pause from 0.1 to 12.8 seconds.
    expect(requests.length).toBeLessThanOrEqual(8 + 8);
    isBroken = false;
    await clock.advance(1_800_000);
    expect(queue.count("delivered")).toBe(400);
    expect(near.toSorted()).toEqual(queue.scores.map(({ id }) => id).toSorted());
    await finish();
  });

  it("that fails at one score in ten holds up none of the others", async () => {
    const clock = new TestClock();
    let count = 0;
    const { queue, requests, finish } = forwarderTo(
      async () => {
        count += 1;
        const status = count % 10 === 0 ? 500 : 202;
        await clock.sleep(10);
        return datadogReply(status);
      },
      { clock },
    );
    // 400 requests of 10 ms, 8 at once, take half a second.
    await clock.advance(520);
    expect(requests.length).toBeGreaterThanOrEqual(400);
    await clock.advance(8000);
    expect(queue.count("delivered")).toBe(400);
    expect(requests).toHaveLength(444);
    await finish();
  });

  it("that fails at whatever it is sent is probed ever less often, and caught up with", async () => {
    let isBroken = true;
    const answer = () => datadogReply(isBroken ? 500 : 202);
    const { clock, queue, requests, finish } = forwarderTo(answer);
    await clock.advance(600_000);
    const soFar = requests.length;
    expect(soFar).toBeLessThanOrEqual(30);
    await clock.advance(600_000);
    expect(requests.length - soFar).toBeLessThanOrEqual(11);
    isBroken = false;
    await clock.advance(600_000);
    expect(queue.count("delivered")).toBe(400);
    await finish();
  });
});
