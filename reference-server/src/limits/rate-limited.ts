import { type Verdict } from "./rate-limit.ts";

const marker = Symbol.for("afterword.server.rate-limited");

/** A quota is used up: 429 with Retry-After. */
export class RateLimited extends Error {
  readonly [marker] = true;
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(`The quota ${verdict.policy.name} is used up`);
    this.name = "RateLimited";
    this.verdict = verdict;
  }

  static isInstance(error: unknown): error is RateLimited {
    return typeof error === "object" && error !== null && marker in error;
  }
}
