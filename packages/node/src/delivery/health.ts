import type { PendingScoresPage } from "../pending-scores.ts";
import type { Clock } from "./clock.ts";
import { noCounts, type DeliveryCounts } from "./counts.ts";

export type ForwarderState = "idle" | "running" | "paused" | "stopping" | "stopped" | "failed";

/** A forwarder at this moment; plain data, fit for a health endpoint. */
export interface ForwarderHealth extends DeliveryCounts {
  /** `paused` while the sink is left in peace, `failed` after something fatal. */
  state: ForwarderState;
  sink: string;
  /** Delivered or refused, but not yet confirmed by the service. */
  unacknowledged: number;
  /** Rows that were pushed in vain and wait for another attempt. */
  deferred: number;
  /**
   * Age in milliseconds, now, of the row that was the oldest when the queue was last read from its head; 0 for an empty
   * queue, `null` before the first poll.
   */
  lagInMs: number | null;
  /** RFC 3339; `null` before the first. */
  lastPolledAt: string | null;
  lastDeliveredAt: string | null;
  pausedUntil: string | null;
  /** What went wrong last, without personal data. */
  lastProblem: string | null;
}

const rfc3339 = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());

/** What the loop writes down as it goes. */
export class HealthRecord {
  readonly #clock: Clock;
  state: ForwarderState = "idle";
  counts: DeliveryCounts = { ...noCounts };
  lastProblem: string | null = null;
  /** When the oldest row was answered, milliseconds since 1970; `null` for an empty queue. */
  #oldestAt: number | null | undefined;
  #lastPolledAt: number | undefined;
  #lastDeliveredAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lagInMs(): number | null {
    if (this.#oldestAt === undefined) return null;
    return this.#oldestAt === null ? 0 : Math.max(0, this.#clock.now() - this.#oldestAt);
  }

  polled(page: PendingScoresPage, isFirst: boolean): void {
    this.#lastPolledAt = this.#clock.now();
    if (!isFirst) return;
    const oldest = page.scores[0];
    this.#oldestAt = oldest ? Date.parse(oldest.at) : null;
  }

  delivered(): void {
    this.counts.delivered += 1;
    this.#lastDeliveredAt = this.#clock.now();
  }

  failed(reason: string): void {
    this.counts.failed += 1;
    this.lastProblem = reason;
  }

  retried(reason: string): void {
    this.counts.retried += 1;
    this.lastProblem = reason;
  }

  read(now: {
    sink: string;
    unacknowledged: number;
    deferred: number;
    pausedUntil: number;
  }): ForwarderHealth {
    const isPaused = this.state === "running" && now.pausedUntil > this.#clock.now();
    return {
      state: isPaused ? "paused" : this.state,
      sink: now.sink,
      ...this.counts,
      unacknowledged: now.unacknowledged,
      deferred: now.deferred,
      lagInMs: this.lagInMs,
      lastPolledAt: rfc3339(this.#lastPolledAt),
      lastDeliveredAt: rfc3339(this.#lastDeliveredAt),
      pausedUntil: isPaused ? rfc3339(now.pausedUntil) : null,
      lastProblem: this.lastProblem,
    };
  }
}
