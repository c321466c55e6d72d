import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allOf, RunCounts, startBackground, type Task } from "@afterword/reference-server/internal";
import { type ServerEvent, trailWithEvents } from "../audit/audit-trail.ts";
import { deletionClockOf } from "../administration/deletion-clock.ts";
import { type RetentionCounts } from "../store/retention.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { nightlyRetention } from "./nightly-retention.ts";

const hourInMs = 3_600_000;
const retention = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
const some: RetentionCounts = {
  responsesDeleted: 500,
  dismissalsDeleted: 0,
  textsRemoved: 0,
  failedTextsRemoved: 0,
  asksForgotten: 0,
  runsForgotten: 0,
  runCountsForgotten: 0,
};

/** A service with more old data than could ever be forgotten; each of its transactions ends when it is told to. */
function endlessService() {
  const transactions: (() => void)[] = [];
  const retain = () => new Promise<RetentionCounts>((resolve) => transactions.push(() => resolve(some)));
  const clock = { now: () => Date.parse("2026-11-21T12:00:00.000Z") };
  const cleanUps = { lastCleanUp: async () => undefined, recordCleanUp: async () => undefined };
  const service = {
    clock,
    runCounts: new RunCounts(clock),
    deletionClock: deletionClockOf(cleanUps, clock),
    masterKeys: { records: [{ id: "of the database" }] },
    directory: { refresh: async () => false },
    store: {
      ping: async () => undefined,
      forgetExpiredTokens: async () => 0,
      administration: { retain },
    },
  } as unknown as OperatedService;
  return { service, transactions };
}

function deleting(service: OperatedService): Task {
  const run = nightlyRetention(retention, trailWithEvents(allOf()));
  return { everyInMs: hourInMs, run: (_, ...given) => run(service, ...given) };
}

describe("work in the background", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends after the current transaction when the server stops", async () => {
    const { service, transactions } = endlessService();
    const background = startBackground(service, allOf(), {
      "delete old data": deleting(service),
    });
    await vi.advanceTimersByTimeAsync(hourInMs);
    transactions[0]!();
    await vi.advanceTimersByTimeAsync(0);
    expect(transactions).toHaveLength(2);
    const stopped = background.stop();
    transactions[1]!();
    await stopped;
    expect(transactions).toHaveLength(2);
  });

  it("refreshes keys and surveys well within a minute, on every node", async () => {
    const { service } = endlessService();
    const refresh = vi.spyOn(service.directory, "refresh");
    startBackground(service, allOf());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(refresh).toHaveBeenCalled();
  });

  it("stores counts of runs every five seconds and at the end, and reports a failure of the last time too", async () => {
    const { service } = endlessService();
    const events: ServerEvent[] = [];
    const stored = vi.fn<() => Promise<void>>(async () => undefined);
    Object.assign(service.store, { addRunCounts: stored });
    const background = startBackground(service, { emit: (event) => void events.push(event) });
    const count = () => service.runCounts.count({ projectId: "p", surveyId: "s", kind: "run" });
    count();
    await vi.advanceTimersByTimeAsync(5000);
    expect(stored).toHaveBeenCalledTimes(1);
    count();
    const error = new Error("the database is away");
    stored.mockRejectedValueOnce(error);
    await background.stop();
    expect(events).toEqual([{ kind: "background-failure", task: "store counts of runs", error }]);
  });

  it("never overlaps itself, however long it takes", async () => {
    const { service, transactions } = endlessService();
    startBackground(service, allOf(), {
      "delete old data": deleting(service),
    });
    await vi.advanceTimersByTimeAsync(3 * hourInMs);
    expect(transactions).toHaveLength(1);
  });
});
