import { describe, expect, it } from "vitest";
import { type DeletionClock } from "../domain/deletion-clock.ts";
import { type Store } from "../store/store.ts";
import { forgetExpiredTokens } from "./retention.ts";

const deletionClock = { forCleanUp: async () => Date.parse("2026-11-21T12:00:00.000Z") } as DeletionClock;

/** A ledger of that many expired tokens, which notes how many each transaction took. */
function ledgerOf(expired: number) {
  const steps: number[] = [];
  const store = {
    forgetExpiredTokens: async (_: unknown, limit: number) => {
      const step = Math.min(limit, expired);
      expired -= step;
      steps.push(step);
      return step;
    },
  } as unknown as Store;
  return { steps, store, deletionClock };
}

describe("expired tokens", () => {
  it("are forgotten in transactions of two thousand until none is left", async () => {
    const ledger = ledgerOf(5000);
    await forgetExpiredTokens(ledger);
    expect(ledger.steps).toEqual([2000, 2000, 1000]);
  });

  it("cost one short transaction where there are none", async () => {
    const ledger = ledgerOf(0);
    await forgetExpiredTokens(ledger);
    expect(ledger.steps).toEqual([0]);
  });

  it("that are left when the server stops wait for the next start", async () => {
    const ledger = ledgerOf(5000);
    const stopping = new AbortController();
    const { forgetExpiredTokens: forget } = ledger.store;
    ledger.store.forgetExpiredTokens = (before, limit) => {
      stopping.abort();
      return forget(before, limit);
    };
    await forgetExpiredTokens(ledger, stopping.signal);
    expect(ledger.steps).toEqual([2000]);
  });
});
