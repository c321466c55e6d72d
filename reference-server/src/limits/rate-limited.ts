import { type Verdict } from "./rate-limit.ts";

/** A quota is used up: 429 with Retry-After. */
export class RateLimited extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(`The quota ${verdict.policy.name} is used up`);
    this.name = "RateLimited";
    this.verdict = verdict;
  }
}
