import { type RequestEvent } from "./events.ts";
import { MemoryRateLimiter, type Policy } from "../limits/rate-limit.ts";

/** `refused` has a line for each request that got 400 or more, as long as they are not too many. */
export const requestLogging = ["all", "refused", "none"] as const;
export type RequestLogging = (typeof requestLogging)[number];

/** A flood of refusals must not become a flood of lines: their disk and whoever pays for it are the next victims. */
const mostLines: Policy = { name: "lines", perMinute: 600, burst: 100 };

/** Decides which answered requests have a line in the log (decision O25). */
export class RequestLines {
  readonly #logging: RequestLogging;
  readonly #limiter = new MemoryRateLimiter();
  #leftOut = 0;

  constructor(logging: RequestLogging) {
    this.#logging = logging;
  }

  /** Faults of the server belong to a log in any case, and refusals do not take their place. */
  wants({ status }: RequestEvent, now: number): boolean {
    if (this.#logging === "all") return true;
    // First, and alone for nearly all: an answered request costs the log this comparison.
    if (status < 400) return false;
    if (this.#logging === "none" && status < 500) return false;
    const { isAllowed } = this.#limiter.take(mostLines, status < 500 ? "refused" : "faults", now);
    if (!isAllowed) this.#leftOut++;
    return isAllowed;
  }

  /** How many lines were left out since this was asked last. */
  takeLeftOut(): number {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut;
  }
}
