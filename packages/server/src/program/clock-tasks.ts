import { type Task, cleanUpTokens } from "@afterword/reference-server/internal";
import { type ServerEvents } from "../audit/audit-trail.ts";
import {
  type DeletionClock,
  heldClock,
  heldClockAdvice,
  isSkewed,
  skewedClock,
} from "../administration/deletion-clock.ts";
import { type OperatedService } from "../administration/operated-service.ts";

const minuteInMs = 60_000;

/** Warns each time the clock begins to hold deletions or to differ from the database's. */
function watchingClock(deletionClock: DeletionClock): Task {
  const warned = new Set<string>();
  const warnOf = (events: ServerEvents, name: string, isWrong: boolean, message: () => string) => {
    if (isWrong && !warned.has(name)) events.emit({ kind: "warning", message: message() });
    if (isWrong) warned.add(name);
    else warned.delete(name);
  };
  return {
    everyInMs: minuteInMs,
    run: async (_, events) => {
      const reading = await deletionClock.read();
      const held = () => `The clock is ${heldClock(reading)}. ${heldClockAdvice}`;
      warnOf(events, "held", reading.isHeld, held);
      const skewed = () => `The clock is ${skewedClock(reading)}. Synchronise the clocks (NTP).`;
      warnOf(events, "skewed", isSkewed(reading), skewed);
    },
  };
}

/** Forgets no tokens while the clock is not believed, and warns of it. */
export const clockTasks = ({ store, deletionClock }: OperatedService): Record<string, Task> => ({
  "delete expired tokens": {
    everyInMs: 10 * minuteInMs,
    run: async (_, __, stopping) => {
      const now = await deletionClock.forCleanUp();
      if (now !== undefined) await cleanUpTokens(store, now, stopping);
    },
  },
  "check the clock": watchingClock(deletionClock),
});
