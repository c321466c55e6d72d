import { intervalOf, MemoryRateLimiter, type Policy, type RateLimiter, type Verdict } from "./rate-limit.ts";
import { type PermitBlock, type SharedQuotas } from "../store/store.ts";

/** A block is a tenth of the burst: each node may let at most that much more through. */
const shareOfBurst = 10;
const largestBlock = 100;
const smallestBlock = 2;
/** Beyond this, unreported permits are dropped: under a flood of addresses each node limits by itself. */
const mostUnreported = 100_000;
const minuteInMs = 60_000;

/** Permits that a node uses before it reports them; never one at a time (decision D40). */
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
 * Limits shared by all nodes. Each node decides from memory and reports its permits to the database in blocks, in the
 * background; the reply says what other nodes used. Without the database each node limits by itself and refuses no
 * request because of it.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #local = new MemoryRateLimiter();
  readonly #quotas: SharedQuotas;
  readonly #hash: (text: string) => string;
  readonly #unreported = new Map<string, Unreported>();
  #due = new Set<string>();
  #isReporting = false;
  #forgottenAt = 0;

  /** @param hash makes a quota's key from its name and subject, which may be an address */
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
    // Permits used before the quota was full again no longer matter.
    if (known && !wasWhole) known.permits++;
    else {
      if (this.#unreported.size >= mostUnreported) this.#unreported.clear();
      this.#unreported.set(name, { policy, subject, permits: 1, since: now });
    }
    if (this.#unreported.get(name)!.permits < blockOf(policy)) return;
    this.#due.add(name);
    if (!this.#isReporting) void this.#report(now);
  }

  /** Reports all due quotas, one statement at a time. Never rejects. */
  async #report(now: number): Promise<void> {
    this.#isReporting = true;
    while (this.#due.size > 0) {
      const reports = this.#takeDue();
      try {
        const wholeAgainAt = await this.#quotas.take(reports.map((report) => this.#blockOf(report)));
        reports.forEach((report, index) => this.#learn(report, wholeAgainAt[index]!));
        await this.#forget(now);
      } catch {
        // Without the database, fail open; the limits of this node still apply.
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
