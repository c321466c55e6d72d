import { intervalOf, MemoryRateLimiter, type Policy, type RateLimiter, type Verdict } from "./rate-limit.ts";
import { type PermitBlock, type SharedQuotas } from "../store/store.ts";

/** A tenth of what may come at once: nodes together let at most that much more through, per node. */
const shareOfBurst = 10;
const largestBlock = 100;
const smallestBlock = 2;
/** Beyond, what was not reported yet is dropped: under a flood of addresses the limits are those of each node. */
const mostUnreported = 100_000;
const minuteInMs = 60_000;

/** Permits that a node uses before it tells the others; never one at a time (decision D40). */
export function blockOf({ burst }: Policy): number {
  return Math.max(smallestBlock, Math.min(largestBlock, Math.floor(burst / shareOfBurst)));
}

interface Unreported {
  policy: Policy;
  subject: string;
  permits: number;
  since: number;
}

/**
 * Limits that nodes share. Each answers from memory at once; what it let through goes to the database a block at a
 * time, behind the answers, and the answer tells what the others let through. Without the database each node goes on
 * by itself: nobody is refused because it is away.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #local = new MemoryRateLimiter();
  readonly #quotas: SharedQuotas;
  readonly #hash: (text: string) => string;
  readonly #unreported = new Map<string, Unreported>();
  #due = new Set<string>();
  #isReporting = false;
  #forgottenAt = 0;

  /** @param hash makes the key of a quota out of its name and whose it is, which may be an address */
  constructor(quotas: SharedQuotas, hash: (text: string) => string) {
    this.#quotas = quotas;
    this.#hash = hash;
  }

  take(policy: Policy, subject: string, now: number): Verdict {
    const verdict = this.#local.take(policy, subject, now);
    if (verdict.isAllowed) this.#count(policy, subject, verdict.remaining === policy.burst - 1, now);
    return verdict;
  }

  get size(): number {
    return this.#local.size;
  }

  #count(policy: Policy, subject: string, wasWhole: boolean, now: number): void {
    const name = `${policy.name} ${subject}`;
    const known = this.#unreported.get(name);
    // What was used before the quota was whole again is of no interest to anybody.
    if (known && !wasWhole) known.permits++;
    else {
      if (this.#unreported.size >= mostUnreported) this.#unreported.clear();
      this.#unreported.set(name, { policy, subject, permits: 1, since: now });
    }
    if (this.#unreported.get(name)!.permits < blockOf(policy)) return;
    this.#due.add(name);
    if (!this.#isReporting) void this.#report(now);
  }

  /** One statement at a time, for all quotas that are due by then. Never rejects. */
  async #report(now: number): Promise<void> {
    this.#isReporting = true;
    while (this.#due.size > 0) {
      const reports = this.#takeDue();
      try {
        const wholeAgainAt = await this.#quotas.take(reports.map((report) => this.#blockOf(report)));
        reports.forEach((report, index) => this.#learn(report, wholeAgainAt[index]!));
        await this.#forget(now);
      } catch {
        // The database is away: open is better than closed, and the limits of this node still hold.
      }
    }
    this.#isReporting = false;
  }

  #takeDue(): Unreported[] {
    const names = [...this.#due];
    this.#due = new Set();
    const reports = names.map((name) => this.#unreported.get(name)).filter((report) => report !== undefined);
    for (const name of names) this.#unreported.delete(name);
    return reports;
  }

  #blockOf({ policy, subject, permits, since }: Unreported): PermitBlock {
    const intervalInMs = intervalOf(policy);
    const key = this.#hash(`${policy.name} ${subject}`);
    return { key, permits, intervalInMs, toleranceInMs: policy.burst * intervalInMs, since };
  }

  #learn({ policy, subject, since }: Unreported, wholeAgainAt: number): void {
    const meanwhile = this.#unreported.get(`${policy.name} ${subject}`)?.permits ?? 0;
    this.#local.learn(policy, subject, wholeAgainAt + meanwhile * intervalOf(policy), since);
  }

  async #forget(now: number): Promise<void> {
    if (Math.abs(now - this.#forgottenAt) < minuteInMs) return;
    this.#forgottenAt = now;
    await this.#quotas.forget(now - minuteInMs);
  }
}
