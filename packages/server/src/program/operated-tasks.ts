import { hourInMs } from "@afterword/protocol/duration";
import { cleanUpTokens, type KeyUses, type Task, timestamp } from "@afterword/reference-server/internal";
import { type ServerEvents, trailWithEvents } from "../audit/audit-trail.ts";
import { type WatchedTrail } from "../audit/watched-trail.ts";
import {
  type DeletionClock,
  heldClock,
  heldClockAdvice,
  isSkewed,
  skewedClock,
} from "../administration/deletion-clock.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { type RetentionPolicy } from "../administration/retention.ts";
import { lastUseOf } from "../store/key-uses.ts";
import { nightlyRetention } from "./nightly-retention.ts";

const minuteInMs = 60_000;

/** Warns each time the clock begins to hold deletions or to differ from the database's. */
function watchingClock(deletionClock: DeletionClock): Task {
  const warned = new Set<string>();
  return {
    everyInMs: minuteInMs,
    run: async (_, events) => {
      const reading = await deletionClock.read();
      const faults = {
        held: reading.isHeld && `${heldClock(reading)}. ${heldClockAdvice}`,
        skewed: isSkewed(reading) && `${skewedClock(reading)}. Synchronise the clocks (NTP).`,
      };
      for (const [name, fault] of Object.entries(faults)) {
        if (!fault) warned.delete(name);
        else if (!warned.has(name)) events.emit({ kind: "warning", message: `The clock is ${fault}` });
        if (fault) warned.add(name);
      }
    },
  };
}

/** Notes from requests when keys were last used. Its task records that in the database, for `key list`, and in the log. */
export function keyUseRecorder(now: () => number) {
  let noted = new Map<string, KeyUses>();
  const listener: ServerEvents = {
    emit(event) {
      if (event.kind !== "request" || !event.use || !event.keyId) return;
      noted.set(event.keyId, { ...noted.get(event.keyId), [event.use]: now() });
    },
  };
  const task = ({ store }: OperatedService, events: ServerEvents): Task => ({
    everyInMs: minuteInMs,
    runsAtEnd: true,
    async run() {
      const uses = noted;
      if (uses.size === 0) return;
      noted = new Map();
      await store.administration.recordKeyUse(uses);
      for (const [keyId, used] of uses)
        events.emit({ kind: "key-use", keyId, lastUsedAt: timestamp(lastUseOf(used)!) });
    },
  });
  return { listener, task };
}

/** Recurring tasks of an operated server, in addition to the core's. They delete no tokens while the clock is wrong. */
export function operatedTasks(
  service: OperatedService,
  policy: RetentionPolicy | undefined,
  events: ServerEvents,
  auditTrail: WatchedTrail | undefined,
): Record<string, Task> {
  const { store, deletionClock } = service;
  const retention = policy && nightlyRetention(policy, trailWithEvents(events, auditTrail));
  return {
    "delete expired tokens": {
      everyInMs: 10 * minuteInMs,
      run: async (_, __, stopping) => {
        const now = await deletionClock.forCleanUp();
        if (now !== undefined) await cleanUpTokens(store, now, stopping);
      },
    },
    // Also while nobody writes: a file of the database may have been replaced.
    "reach the database": { everyInMs: 30_000, run: () => store.ping() },
    "check the clock": watchingClock(deletionClock),
    ...(auditTrail && { "check the audit trail": { everyInMs: minuteInMs, run: () => auditTrail.check() } }),
    ...(retention && {
      "delete old data": { everyInMs: hourInMs, run: (_, ...given) => retention(service, ...given) },
    }),
  };
}
