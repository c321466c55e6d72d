import { hostname } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { createApp, StoreUnavailable } from "@afterword/reference-server/internal";
import { type AuditEvent, type AuditTrail, type ServerEvent } from "../audit/audit-trail.ts";
import { AuditUnavailable } from "../audit/audit-trail.ts";
import { operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { nightlyRetention } from "./nightly-retention.ts";

const hour = 3_600_000;

async function nightWatch() {
  const store = await openStore(":memory:");
  let now = Date.parse("2026-03-01T12:00:00.000Z");
  const clock = { now: () => now };
  const { service: core } = await createApp({
    store,
    clock,
    config: { projects: [] },
    masterKey: new Uint8Array(32),
  });
  const service = operatedService(core, store);
  const events: ServerEvent[] = [];
  const emit = (event: ServerEvent) => void events.push(event);
  const policy = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
  const audits: AuditEvent[] = [];
  const trail: AuditTrail = { append: async (event) => void audits.push(event) };
  const run = nightlyRetention(policy, trail);
  const nightly = { run: (of: typeof service) => run(of, { emit }) };
  return {
    service,
    events,
    audits,
    trail,
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
    const { nightly, service, events, audits } = watch;
    const { administration } = service.store;
    const broken = {
      ...service.store,
      administration: { ...administration, retain: () => Promise.reject(new StoreUnavailable("gone")) },
    };
    await expect(nightly.run({ ...service, store: broken })).rejects.toThrow("gone");
    await nightly.run(service);
    expect(events).toHaveLength(1);
    expect(audits.map(({ outcome }) => outcome)).toEqual(["started", "failed", "started", "done"]);
  });

  it("is audited before it deletes anything, and after that with what it has deleted", async () => {
    await using watch = await nightWatch();
    await watch.nightly.run(watch.service);
    const line = { action: "retention", command: "serve", operator: "nightly retention", host: hostname() };
    const counts = { responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0, runsForgotten: 0 };
    expect(watch.audits).toMatchObject([
      { ...line, outcome: "started", counts: {} },
      { ...line, outcome: "done", counts, act: watch.audits[0]!.act },
    ]);
  });

  it("deletes nothing without its audit line, and is retried an hour later", async () => {
    await using watch = await nightWatch();
    const { nightly, service, events, trail, audits } = watch;
    const retain = vi.spyOn(service.store.administration, "retain");
    const append = vi.spyOn(trail, "append").mockRejectedValue(new AuditUnavailable("Full."));
    await expect(nightly.run(service)).rejects.toThrow("Full. Nothing was changed.");
    expect([retain.mock.calls, events]).toEqual([[], []]);
    append.mockRestore();
    await nightly.run(service);
    expect([audits.length, events.length]).toEqual([2, 1]);
  });
});
