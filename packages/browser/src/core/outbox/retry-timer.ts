import type { Page } from "../page/index.ts";

const mostRetries = 5;
/** Doubled at each retry, so half a minute at most. */
const firstDelayInMs = 2000;
/** A longer timeout would overflow after 24 days; no entry waits longer than this. */
const longestDelayInMs = 7 * 24 * 3_600_000;

/** One timer for all entries of the outbox, set to the earliest; draining sets it again for later ones. */
export function createRetryTimer(page: Page, drain: () => void) {
  /** Consecutive automatic retries. */
  let retries = 0;
  let timer: number | undefined;
  /** Time of the next automatic drain in milliseconds since 1970. */
  let drainAt = Infinity;
  const drainIn = (delayInMs: number) => {
    delayInMs = Math.min(delayInMs, longestDelayInMs);
    const at = page.Date.now() + delayInMs;
    if (at >= drainAt) return;
    page.clearTimeout(timer);
    drainAt = at;
    timer = page.setTimeout(() => {
      retries++;
      drain();
    }, delayInMs);
  };
  return {
    drainIn,
    /** Plans a retry. After five in a row, only `online`, a visibility change or a reload retries. */
    retryIn(leastDelayInMs: number) {
      const limitInMs = firstDelayInMs * 2 ** retries;
      if (retries < mostRetries) drainIn(Math.max(leastDelayInMs, page.Math.random() * limitInMs));
    },
    /** Whether no retry has happened or is planned. */
    isUnused: () => !retries && drainAt === Infinity,
    /** Call when the service answers, or the network or the person is back. */
    restart: () => void (retries = 0),
    clear() {
      page.clearTimeout(timer);
      drainAt = Infinity;
    },
  };
}
