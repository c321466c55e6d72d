import type { Clock } from "./clock.ts";

/** The longest delay of a timer, 24 days; a longer one would fire at once. */
const longestDelayInMs = 2 ** 31 - 1;

/** The system's time and timers. */
export const systemClock: Clock = {
  // Two turns of the event loop: fetch reuses a connection in the turn after its last response has ended.
  turn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (delayInMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(0, delayInMs), longestDelayInMs));
      signal?.addEventListener("abort", done);
    }),
};
