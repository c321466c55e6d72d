import { Afterword } from "@afterword/node";
import { createForwarder, defineSink, type Clock } from "@afterword/node/forwarder";
import { describe, expect, it } from "vitest";
import { ForwarderWorld } from "./forwarder-world.ts";

/** A clock whose time passes as fast as the event loop turns: it wakes one sleeper after the other, each at its moment. */
function hurriedClock(): Clock {
  const sleepers: { wakesAt: number; wake: () => void }[] = [];
  let time = Date.now();
  const turn = () => {
    const next = sleepers.toSorted((left, right) => left.wakesAt - right.wakesAt)[0];
    if (next === undefined) return;
    time = Math.max(time, next.wakesAt);
    next.wake();
  };
  return {
    now: () => time,
    sleep: (delayInMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { wakesAt: time + delayInMs, wake };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", wake);
        setImmediate(turn);
      }),
  };
}

/** Every so many requests are lost: before they arrive, or their replies on the way back. */
function flakyFetch(every: number): { fetch: typeof fetch; lost: () => number } {
  let count = 0;
  let lost = 0;
  const lose = () => {
    lost += 1;
    throw new TypeError("fetch failed");
  };
  return {
    lost: () => lost,
    async fetch(input, init) {
      count += 1;
      const turn = count;
      if (turn % every === 0) lose();
      const response = await fetch(input, init);
      if (turn % every === 1) lose();
      return response;
    },
  };
}

describe("a forwarder whose connection to the service fails all the time", () => {
  it("pushes every row exactly once within a run, although polls, acknowledgements and replies are lost", async () => {
    await using world = await ForwarderWorld.start();
    const ids = await world.rate(300);
    const service = flakyFetch(3);
    const client = new Afterword({ ...world.connection, fetch: service.fetch, maxRetries: 0 });
    const pushes: string[] = [];
    const sink = defineSink({
      name: "counts",
      async deliver(scores) {
        pushes.push(...scores.map(({ id }) => id));
        return scores.map(() => ({ outcome: "delivered" as const }));
      },
    });
    const forwarder = createForwarder({ client, sink, clock: hurriedClock(), ackIntervalInMs: 0 });
    const running = forwarder.start();
    await expect.poll(() => world.waiting(), { timeout: 30_000 }).toEqual([]);
    await forwarder.stop();
    await running;
    expect(service.lost()).toBeGreaterThan(3);
    expect(pushes.toSorted()).toEqual(ids.toSorted());
  });
});
