import { forgetOldData, type RetentionPolicy } from "../domain/retention.ts";
import { type Service } from "../domain/service.ts";
import { type ServerEvents } from "../operations/events.ts";

const hourInMs = 60 * 60_000;
/** In UTC; a quiet hour in most places. */
const startHour = 3;

/** The interval at which to call `run`. */
export const checkedEveryMs = hourInMs;

/**
 * Deletes old data once a day after 03:00 UTC, or within an hour of a later start. Every node does it; the second finds
 * nothing left. Waits while the clock is not trusted.
 */
export class NightlyRetention {
  readonly #policy: RetentionPolicy;
  readonly #events: ServerEvents;
  #lastNight = -1;

  constructor(policy: RetentionPolicy, events: ServerEvents) {
    this.#policy = policy;
    this.#events = events;
  }

  /** @param stopping ends it after the current transaction; the next start continues */
  async run(service: Service, stopping?: AbortSignal): Promise<void> {
    const now = await service.deletionClock.forCleanUp();
    if (now === undefined) return;
    const night = Math.floor((now - startHour * hourInMs) / (24 * hourInMs));
    if (night <= this.#lastNight) return;
    const forgotten = await forgetOldData(service, this.#policy, { now, signal: stopping });
    // Only now, so that a failed night is retried an hour later.
    this.#lastNight = night;
    this.#events.emit({ kind: "task", task: "retention", counts: { ...forgotten } });
  }
}
