import { type LimitConfig, type RateLimitsConfig } from "../config/server-config.ts";
import { Refusal } from "../domain/refusal.ts";

/** A quota; its name appears on the wire. */
export interface Policy {
  readonly name: string;
  readonly perMinute: number;
  readonly burst: number;
}

/** A limiter's decision on one request. */
export interface QuotaUse {
  policy: Policy;
  isAllowed: boolean;
  /** Requests that are allowed at once now. */
  remaining: number;
  /** Until the quota is full again; for a refusal until the next request is allowed, so that `Retry-After` is never earlier. */
  resetInSeconds: number;
}

export type PolicyName = keyof RateLimitsConfig;

export type Policies = Readonly<Record<PolicyName, Policy>>;

const minuteInMs = 60_000;

/** Milliseconds until one permit is restored. */
const intervalOf = ({ perMinute }: Policy) => minuteInMs / perMinute;

/** Decision D41. */
const defaults: Readonly<Record<Exclude<PolicyName, "address">, LimitConfig>> = {
  public: { perMinute: 300, burst: 60 },
  project: { perMinute: 6000 },
  mint: { perMinute: 600 },
  pending: { perMinute: 600 },
  ack: { perMinute: 600 },
  badAuth: { perMinute: 60 },
};

/**
 * The config's policies; `undefined` if limits are off.
 * @param nodes servers that divide the limits among themselves; each allows at least one request
 */
export function policiesOf(config: false | RateLimitsConfig = {}, nodes = 1): Policies | undefined {
  if (config === false) return undefined;
  const shareOf = (requests: number) => Math.max(1, Math.floor(requests / nodes));
  // Covers all clients behind one address and all projects; never less than one project's quota.
  const address = { perMinute: Math.max(1200, 4 * (config.public ?? defaults.public).perMinute) };
  const policies = Object.entries({ address, ...defaults }).map(([name, limit]) => {
    const { perMinute, burst = perMinute }: LimitConfig = config[name as PolicyName] ?? limit;
    const onWire = name === "badAuth" ? "bad-auth" : name;
    const policy = {
      name: onWire,
      perMinute: shareOf(perMinute),
      burst: shareOf(Math.min(burst, perMinute)),
    };
    return [name, policy];
  });
  return Object.fromEntries(policies) as Policies;
}

const mostSubjects = 100_000;

/**
 * GCRA: one number per subject, the time at which its quota is full again. Unlike a fixed window it never allows twice
 * the quota around an edge.
 */
export class RateLimiter {
  readonly #wholeAgainAt = new Map<string, number>();

  /** Takes one request from the quota of `subject`. */
  take(policy: Policy, subject: string, now: number): QuotaUse {
    const intervalInMs = intervalOf(policy);
    const toleranceInMs = policy.burst * intervalInMs;
    const key = `${policy.name} ${subject}`;
    // A clock that was set back must not lock a client out for longer than an empty quota would.
    const known = Math.min(this.#wholeAgainAt.get(key) ?? now, now + toleranceInMs);
    const next = Math.max(known, now) + intervalInMs;
    const isAllowed = next - now <= toleranceInMs + 1e-6;
    const wholeAgainAt = isAllowed ? next : known;
    if (this.#wholeAgainAt.size >= mostSubjects && !this.#wholeAgainAt.has(key)) this.#forget(now);
    this.#wholeAgainAt.set(key, wholeAgainAt);
    const debtInMs = wholeAgainAt - now;
    return {
      policy,
      isAllowed,
      remaining: Math.max(0, Math.floor((toleranceInMs - debtInMs) / intervalInMs + 1e-6)),
      resetInSeconds: Math.ceil((isAllowed ? debtInMs : next - now - toleranceInMs) / 1000),
    };
  }

  get size(): number {
    return this.#wholeAgainAt.size;
  }

  /** Drops subjects with a full quota; under a flood of addresses also the oldest half. */
  #forget(now: number): void {
    for (const [key, at] of this.#wholeAgainAt) if (at <= now) this.#wholeAgainAt.delete(key);
    if (this.#wholeAgainAt.size < mostSubjects) return;
    const oldest = [...this.#wholeAgainAt.keys()].slice(0, mostSubjects / 2);
    for (const key of oldest) this.#wholeAgainAt.delete(key);
  }
}

/** The headers of the current rate-limit draft. */
export function limitFields(uses: readonly QuotaUse[]): Record<string, string> {
  if (uses.length === 0) return {};
  const policies = uses.map(({ policy }) => `"${policy.name}";q=${policy.perMinute};w=60`);
  const states = uses.map((one) => `"${one.policy.name}";r=${one.remaining};t=${one.resetInSeconds}`);
  return { "RateLimit-Policy": policies.join(", "), "RateLimit": states.join(", ") };
}

/** 429 with `Retry-After`. */
export function usedUp({ policy, resetInSeconds }: QuotaUse): Refusal {
  return new Refusal("rate_limited", {
    detail: `Retry in ${resetInSeconds} seconds.`,
    violatedPolicies: [policy.name],
    headers: { "Retry-After": String(resetInSeconds) },
  });
}
