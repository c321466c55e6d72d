import { type RequestEvent } from "./events.ts";
import { MemoryRateLimiter, type Policy } from "../limits/rate-limit.ts";

/** `refused` logs requests that were answered with 400 or more, up to a rate limit. */
export const requestLogging = ["all", "refused", "none"] as const;
export type RequestLogging = (typeof requestLogging)[number];

/** A flood of refusals must not fill the log's disk. */
const mostLines: Policy = { name: "lines", perMinute: 600, burst: 100 };

/** Decides which requests to log (decision O25). */
export class RequestLines {
  readonly #logging: RequestLogging;
  readonly #limiter = new MemoryRateLimiter();
  #leftOut = 0;

  constructor(logging: RequestLogging) {
    this.#logging = logging;
  }

  /** Server errors have their own limit, which refusals cannot use up. */
  wants({ status }: RequestEvent, now: number): boolean {
    if (this.#logging === "all") return true;
    // First, because it decides for nearly all requests.
    if (status < 400) return false;
    if (this.#logging === "none" && status < 500) return false;
    const { isAllowed } = this.#limiter.take(mostLines, status < 500 ? "refused" : "faults", now);
    if (!isAllowed) this.#leftOut++;
    return isAllowed;
  }

  /** Returns the number of lines left out since the last call. */
  takeLeftOut(): number {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut;
  }
}
