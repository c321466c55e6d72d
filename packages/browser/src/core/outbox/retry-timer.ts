import type { Page } from "../page/index.ts";

const mostRetries = 5;
/** Doubled at each retry, so half a minute at most. */
const firstDelayInMs = 2000;
/** A longer timeout would overflow after 24 days; no entry waits longer than this. */
const longestDelayInMs = 7 * 24 * 3_600_000;

/** One timer for all entries of the outbox, set to the earliest; draining sets it again for later ones. */
export class RetryTimer {
  readonly #page: Page;
  readonly #drain: () => void;
  /** Consecutive automatic retries. */
  #retries = 0;
  #timer?: number;
  /** Time of the next automatic drain in milliseconds since 1970. */
  #drainAt = Infinity;

  constructor(page: Page, drain: () => void) {
    this.#page = page;
    this.#drain = drain;
  }

  /** Whether no retry has happened or is planned. */
  isUnused(): boolean {
    return !this.#retries && this.#drainAt === Infinity;
  }

  /** Call when the service answers, or the network or the person is back. */
  restart() {
    this.#retries = 0;
  }

  clear() {
    this.#page.clearTimeout(this.#timer);
    this.#drainAt = Infinity;
  }

  /** Plans a retry. After five in a row, only `online`, a visibility change or a reload retries. */
  retryIn(leastDelayInMs: number) {
    const { Math } = this.#page;
    const limitInMs = firstDelayInMs * 2 ** this.#retries;
    if (this.#retries < mostRetries) this.drainIn(Math.max(leastDelayInMs, Math.random() * limitInMs));
  }

  drainIn(delayInMs: number) {
    const { Date } = this.#page;
    delayInMs = Math.min(delayInMs, longestDelayInMs);
    const at = Date.now() + delayInMs;
    if (at >= this.#drainAt) return;
    this.#page.clearTimeout(this.#timer);
    this.#drainAt = at;
    this.#timer = this.#page.setTimeout(() => {
      this.#retries++;
      this.#drain();
    }, delayInMs);
  }
}
