import type { Clock } from "./clock.ts";

/** The longest delay that a timer can take, 24 days; a longer one would end at once. */
const longestDelayInMs = 2 ** 31 - 1;

/** The machine's time and timers. */
export const systemClock: Clock = {
  // Two turns of the event loop: fetch takes a connection again in the turn behind the end of the last answer.
  turn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  now: Date.now,
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
