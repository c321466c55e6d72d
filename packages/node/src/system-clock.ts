import type { Clock } from "./delivery/clock.ts";

/** The machine's time and timers. */
export const systemClock: Clock = {
  // Two turns of the event loop: fetch takes a connection again in the turn behind the end of the last answer.
  turn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  now: Date.now,
  sleep: (delayInMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, delayInMs);
      signal?.addEventListener("abort", done);
    }),
};
