import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startBackground } from "./background.ts";
import { type Service } from "./domain/service.ts";
import { noEvents } from "./events.ts";
import { type RetentionCounts } from "./store/store.ts";

const hourInMs = 3_600_000;
const retention = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
const some: RetentionCounts = {
  responsesDeleted: 500,
  dismissalsDeleted: 0,
  textsRemoved: 0,
  failedTextsRemoved: 0,
};

/** A service with more old data than could ever be forgotten; each of its transactions ends when it is told to. */
function endlessService() {
  const transactions: (() => void)[] = [];
  const retain = () => new Promise<RetentionCounts>((resolve) => transactions.push(() => resolve(some)));
  const service = {
    clock: { now: () => Date.parse("2026-11-21T12:00:00.000Z") },
    directory: { refresh: async () => undefined, flushKeyUse: async () => new Map() },
    store: { forgetExpiredTokens: async () => 0, administration: { retain } },
  } as unknown as Service;
  return { service, transactions };
}

describe("work in the background", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends after the transaction that is under way when the server stops", async () => {
    const { service, transactions } = endlessService();
    const background = startBackground(service, noEvents, retention);
    await vi.advanceTimersByTimeAsync(hourInMs);
    transactions[0]!();
    await vi.advanceTimersByTimeAsync(0);
    expect(transactions).toHaveLength(2);
    const stopped = background.stop();
    transactions[1]!();
    await stopped;
    expect(transactions).toHaveLength(2);
  });

  it("runs once at a time, however long it takes", async () => {
    const { service, transactions } = endlessService();
    startBackground(service, noEvents, retention);
    await vi.advanceTimersByTimeAsync(3 * hourInMs);
    expect(transactions).toHaveLength(1);
  });
});
