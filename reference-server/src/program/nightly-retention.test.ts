import { describe, expect, it } from "vitest";
import { createApp } from "./create-app.ts";
import { type ServerEvent } from "../operations/events.ts";
import { openStore } from "../store/open-store.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { nightlyRetention } from "./nightly-retention.ts";

const hour = 3_600_000;

async function nightWatch() {
  const store = await openStore(":memory:");
  let now = Date.parse("2026-03-01T12:00:00.000Z");
  const clock = { now: () => now };
  const { service } = await createApp({
    store,
    clock,
    config: { projects: [] },
    masterKey: new Uint8Array(32),
  });
  const events: ServerEvent[] = [];
  const emit = (event: ServerEvent) => void events.push(event);
  const policy = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
  const run = nightlyRetention(policy);
  const nightly = { run: (of: typeof service) => run(of, { emit }) };
  return {
    service,
    events,
    nightly,
    pass: (hours: number) => (now += hours * hour),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe("nightly retention", () => {
  it("runs after a start, and then once a night after 03:00 UTC, however often it is called", async () => {
    await using watch = await nightWatch();
    const { nightly, service, events, pass } = watch;
    const ran: number[] = [];
    for (let hours = 0; hours < 48; hours++) {
      const before = events.length;
      await nightly.run(service);
      if (events.length > before) ran.push(hours);
      pass(1);
    }
    // 12:00 on the first day, then 03:00 on the next two.
    expect(ran).toEqual([0, 15, 39]);
    expect(events[0]).toEqual({
      kind: "task",
      task: "retention",
      counts: { responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0, runsForgotten: 0 },
    });
  });

  it("is retried an hour later when the database does not answer", async () => {
    await using watch = await nightWatch();
    const { nightly, service, events } = watch;
    const { administration } = service.store;
    const broken = {
      ...service.store,
      administration: { ...administration, retain: () => Promise.reject(new StoreUnavailable("gone")) },
    };
    await expect(nightly.run({ ...service, store: broken })).rejects.toThrow("gone");
    await nightly.run(service);
    expect(events).toHaveLength(1);
  });
});
