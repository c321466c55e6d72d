import { describe, expect, it } from "vitest";
import { limitFields, RateLimiter, policiesOf, type Policy } from "./rate-limit.ts";

const policy: Policy = { name: "public", perMinute: 60, burst: 5 };

/** Takes so many at one moment and says how many were allowed. */
function takeMany(limiter: RateLimiter, count: number, now: number, subject = "a"): number {
  return Array.from({ length: count }, () => limiter.take(policy, subject, now)).filter(
    (one) => one.isAllowed,
  ).length;
}

describe("the limits", () => {
  it("are on by default, with the documented quotas", () => {
    expect(policiesOf()).toEqual({
      address: { name: "address", perMinute: 1200, burst: 1200 },
      public: { name: "public", perMinute: 300, burst: 60 },
      project: { name: "project", perMinute: 6000, burst: 6000 },
      mint: { name: "mint", perMinute: 600, burst: 600 },
      pending: { name: "pending", perMinute: 600, burst: 600 },
      ack: { name: "ack", perMinute: 600, burst: 600 },
      badAuth: { name: "bad-auth", perMinute: 60, burst: 60 },
    });
  });

  it("are off with false", () => expect(policiesOf(false)).toBeUndefined());

  it("default to a burst of the whole minute's quota, and cap it there", () => {
    expect(policiesOf({ mint: { perMinute: 10 } })?.mint.burst).toBe(10);
    expect(policiesOf({ mint: { perMinute: 10, burst: 50 } })?.mint.burst).toBe(10);
  });

  it("are divided by the number of nodes, and each node allows at least one request", () => {
    const shares = policiesOf({ mint: { perMinute: 100, burst: 10 }, ack: { perMinute: 2 } }, 3)!;
    expect(shares.mint).toEqual({ name: "mint", perMinute: 33, burst: 3 });
    expect(shares.ack).toEqual({ name: "ack", perMinute: 1, burst: 1 });
    expect(shares.address.perMinute).toBe(400);
  });

  it("never give an address less than one project's quota", () => {
    expect(policiesOf({ public: { perMinute: 10_000 } })?.address.perMinute).toBe(40_000);
  });

  it("give an address exactly its configured limit", () => {
    const limits = { public: { perMinute: 10_000 }, address: { perMinute: 500, burst: 50 } };
    expect(policiesOf(limits)?.address).toEqual({ name: "address", perMinute: 500, burst: 50 });
  });
});

describe("the limiter", () => {
  it("never allows more than burst and quota in any minute", () => {
    const limiter = new RateLimiter();
    let allowed = 0;
    for (let now = 0; now < 60_000; now += 100) allowed += takeMany(limiter, 3, now);
    expect(allowed).toBeLessThanOrEqual(policy.perMinute + policy.burst);
    expect(allowed).toBeGreaterThanOrEqual(policy.perMinute);
  });

  it("reports what remains, when the quota is full again, and for a refusal when to retry", () => {
    const limiter = new RateLimiter();
    expect(limiter.take(policy, "a", 0)).toMatchObject({ remaining: 4, resetInSeconds: 1, isAllowed: true });
    takeMany(limiter, 4, 0);
    expect(limiter.take(policy, "a", 0)).toMatchObject({ remaining: 0, resetInSeconds: 1, isAllowed: false });
  });

  it("charges nothing for a refused request: a client that waits is admitted", () => {
    const limiter = new RateLimiter();
    takeMany(limiter, 1000, 0);
    expect(takeMany(limiter, 1, 1000)).toBe(1);
  });

  it("locks no client out for longer than an empty quota when the clock is set back", () => {
    const limiter = new RateLimiter();
    takeMany(limiter, 5, 1_000_000_000);
    expect(takeMany(limiter, 1, 0)).toBe(0);
    expect(takeMany(limiter, 1, 5000)).toBe(1);
  });

  it("forgets subjects with a full quota, and stays bounded under a flood of addresses", () => {
    const limiter = new RateLimiter();
    for (let index = 0; index < 250_000; index++)
      limiter.take(policy, `address-${index}`, index < 100_000 ? 0 : 10_000);
    expect(limiter.size).toBeLessThanOrEqual(100_000);
  });

  it("writes the headers of the draft, one item per policy", () => {
    const limiter = new RateLimiter();
    const uses = [limiter.take(policy, "a", 0), limiter.take({ ...policy, name: "project" }, "a", 0)];
    expect(limitFields(uses)).toEqual({
      "RateLimit-Policy": '"public";q=60;w=60, "project";q=60;w=60',
      "RateLimit": '"public";r=4;t=1, "project";r=4;t=1',
    });
    expect(limitFields([])).toEqual({});
  });
});
