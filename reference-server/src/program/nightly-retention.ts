import { forgetOldData, type RetentionPolicy } from "../domain/retention.ts";
import { type Service } from "../domain/service.ts";
import { type ServerEvents } from "../operations/events.ts";

const hourInMs = 60 * 60_000;
/** UTC: when few people are asked in most places that have customers. */
const startHour = 3;

/** How often `run` wants to be called. */
export const checkedEveryMs = hourInMs;

/**
 * Forgets old data once a day after 03:00 UTC, or within an hour of a start after that. Every node does it: the second
 * finds nothing left. Waits while the clock is not believed.
 */
export class NightlyRetention {
  readonly #policy: RetentionPolicy;
  readonly #events: ServerEvents;
  #lastNight = -1;

  constructor(policy: RetentionPolicy, events: ServerEvents) {
    this.#policy = policy;
    this.#events = events;
  }

  /** @param stopping ends it after the transaction that is under way; the next start goes on */
  async run(service: Service, stopping?: AbortSignal): Promise<void> {
    const now = await service.deletionClock.forCleanUp();
    if (now === undefined) return;
    const night = Math.floor((now - startHour * hourInMs) / (24 * hourInMs));
    if (night <= this.#lastNight) return;
    const forgotten = await forgetOldData(service, this.#policy, { now, signal: stopping });
    // Only now: a night that failed is tried again an hour later.
    this.#lastNight = night;
    this.#events.emit({ kind: "task", task: "retention", counts: { ...forgotten } });
  }
}
