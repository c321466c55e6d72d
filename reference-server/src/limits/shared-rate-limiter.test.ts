import { describe, expect, it } from "vitest";
import { type Policy } from "./rate-limit.ts";
import { blockOf, SharedRateLimiter } from "./shared-rate-limiter.ts";
import { type PermitBlock, type SharedQuotas } from "../store/store.ts";

const policy: Policy = { name: "public", perMinute: 60, burst: 20 };
const noon = Date.UTC(2026, 10, 21, 12);
const hash = (text: string) => `hash of ${text}`;

/** Quotas as the database keeps them, and what was asked of them. */
function memoryQuotas() {
  const wholeAgainAt = new Map<string, number>();
  const asked: PermitBlock[][] = [];
  const forgotten: number[] = [];
  const quotas: SharedQuotas = {
    take(blocks) {
      asked.push([...blocks]);
      const results = blocks.map(({ key, permits, intervalInMs, since }) => {
        const next = Math.max(wholeAgainAt.get(key) ?? since, since) + permits * intervalInMs;
        wholeAgainAt.set(key, next);
        return next;
      });
      return Promise.resolve(results);
    },
    forget: (before) => Promise.resolve(void forgotten.push(before)),
  };
  return { quotas, asked, forgotten };
}

/** Lets everything that is settled behind the answers settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function take(limiter: SharedRateLimiter, times: number, now = noon, subject = "a-client") {
  let allowed = 0;
  for (let count = 0; count < times; count++) {
    if (limiter.take(policy, subject, now).isAllowed) allowed++;
    await settle();
  }
  return allowed;
}

describe("a shared limiter", () => {
  it("is as exact as one in memory when it is alone", async () => {
    const limiter = new SharedRateLimiter(memoryQuotas().quotas, hash);
    expect(await take(limiter, 50)).toBe(20);
    expect(await take(limiter, 50, noon + 5000)).toBe(5);
  });

  it("allows together what one may, and at most a block more per other node", async () => {
    const { quotas } = memoryQuotas();
    const nodes = [1, 2, 3].map(() => new SharedRateLimiter(quotas, hash));
    let allowed = 0;
    for (let round = 0; round < 100; round++) allowed += await take(nodes[round % 3]!, 1);
    expect(allowed).toBeGreaterThanOrEqual(20);
    expect(allowed).toBeLessThanOrEqual(20 + 2 * blockOf(policy));
  });

  it("queries the database once per block, never once per request", async () => {
    const { quotas, asked } = memoryQuotas();
    const limiter = new SharedRateLimiter(quotas, hash);
    await take(limiter, 20);
    expect(asked.length).toBe(20 / blockOf(policy));
    expect(asked.flat().every(({ permits }) => permits === blockOf(policy))).toBe(true);
  });

  it("never queries for an occasional client", async () => {
    const { quotas, asked } = memoryQuotas();
    const limiter = new SharedRateLimiter(quotas, hash);
    for (let minute = 0; minute < 50; minute++) await take(limiter, 1, noon + minute * 60_000);
    expect(asked).toEqual([]);
  });

  it("reports all due subjects in one statement", async () => {
    const { quotas, asked } = memoryQuotas();
    const limiter = new SharedRateLimiter(quotas, hash);
    limiter.take(policy, "first", noon);
    limiter.take(policy, "first", noon);
    for (const subject of ["a", "b", "c"]) {
      limiter.take(policy, subject, noon);
      limiter.take(policy, subject, noon);
    }
    await settle();
    expect(asked.map((blocks) => blocks.map(({ key }) => key))).toEqual([
      [hash("public first")],
      ["a", "b", "c"].map((subject) => hash(`public ${subject}`)),
    ]);
  });

  it("limits per node without the database, and refuses no request because of it", async () => {
    const away: SharedQuotas = {
      take: () => Promise.reject(new Error("away")),
      forget: () => Promise.reject(new Error("away")),
    };
    const limiter = new SharedRateLimiter(away, hash);
    expect(await take(limiter, 50)).toBe(20);
    expect(await take(limiter, 50, noon + 60_000)).toBe(20);
  });

  it("keeps counting during a query, and loses no permit", async () => {
    const answers: (() => void)[] = [];
    const { quotas } = memoryQuotas();
    const slow: SharedQuotas = {
      take: async (blocks) => {
        await new Promise<void>((resolve) => answers.push(resolve));
        return quotas.take(blocks);
      },
      forget: quotas.forget,
    };
    const [slowNode, other] = [new SharedRateLimiter(slow, hash), new SharedRateLimiter(quotas, hash)];
    expect(await take(slowNode, 15)).toBe(15);
    for (let turn = 0; turn < 20; turn++) {
      answers.shift()?.();
      await settle();
    }
    const allowed = await take(other, 50);
    expect(allowed).toBeLessThanOrEqual(5 + 2 * blockOf(policy));
  });

  it("keeps its table small: once a minute it drops quotas that have been full for a minute", async () => {
    const { quotas, forgotten } = memoryQuotas();
    const limiter = new SharedRateLimiter(quotas, hash);
    await take(limiter, 20);
    await take(limiter, 20, noon + 61_000);
    expect(forgotten).toEqual([noon - 60_000, noon + 1000]);
  });

  it("stores no subject by name in the database", async () => {
    const { quotas, asked } = memoryQuotas();
    await take(new SharedRateLimiter(quotas, () => "0a1b"), 5, noon, "192.0.2.1");
    expect(JSON.stringify(asked)).not.toContain("192.0.2.1");
  });
});
