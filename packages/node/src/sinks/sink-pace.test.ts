import { describe, expect, it } from "vitest";
import { TestClock } from "../options/clock.fixture.ts";
import { aRunningForwarder, delivered, TestSink } from "../delivery/forwarder.fixture.ts";
import { TestQueue } from "../delivery/score-queue.fixture.ts";
import type { Outcome } from "../forwarder.ts";
import { datadog } from "./datadog.ts";
import { datadogReply, fakeFetch } from "./score.fixture.ts";

/** A running forwarder whose sink's service answers what the test says; time is in the test's hands. */
function forwarderTo(answer: () => Response | Promise<Response>, clock = new TestClock()) {
  const queue = new TestQueue(400);
  const { fetch, requests } = fakeFetch(answer);
  const sink = datadog({ apiKey: "key", mlApp: "shop", fetch, clock: () => clock.now() });
  return { queue, requests, ...aRunningForwarder(queue, sink, { clock, concurrency: 8 }) };
}

describe("a service behind the forwarder", () => {
  it("that fails at one score in ten holds up none of the others", async () => {
    const clock = new TestClock();
    let count = 0;
    const { queue, requests, finish } = forwarderTo(async () => {
      count += 1;
      const status = count % 10 === 0 ? 500 : 202;
      await clock.sleep(10);
      return datadogReply(status);
    }, clock);
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

it("a limit of 30 a minute costs few refusals", async () => {
  const clock = new TestClock();
  const queue = new TestQueue(120);
  let window = { startedAt: clock.now(), taken: 0 };
  let refusals = 0;
  const sink = new TestSink((): Outcome => {
    if (clock.now() - window.startedAt >= 60_000) window = { startedAt: clock.now(), taken: 0 };
    window.taken += 1;
    if (window.taken <= 30) return delivered;
    refusals += 1;
    const afterInMs = window.startedAt + 60_000 - clock.now();
    return { outcome: "retry", scope: "sink", reason: "429", afterInMs };
  });
  const { finish } = aRunningForwarder(queue, sink, { clock, concurrency: 16 });
  await clock.advance(300_000);
  expect(queue.count("delivered")).toBe(120);
  expect(refusals).toBeLessThanOrEqual(25);
  await finish();
});
