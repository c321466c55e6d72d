import type { Clock } from "./delivery/clock.ts";

/** The machine's time and timers. */
export const systemClock: Clock = {
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
