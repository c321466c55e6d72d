import type { Backlog } from "./backlog.ts";
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
   * Age in milliseconds, now, of the oldest row of this forwarder's share that is neither delivered nor refused, of what
   * the last polls have listed; until its acknowledgement is confirmed it counts. 0 for an empty queue, `null` before
   * the first poll.
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
  readonly #backlog: Backlog;
  state: ForwarderState = "idle";
  counts: DeliveryCounts = { ...noCounts };
  lastProblem: string | null = null;
  #lastPolledAt: number | undefined;
  #lastDeliveredAt: number | undefined;

  constructor(clock: Clock, backlog: Backlog) {
    this.#clock = clock;
    this.#backlog = backlog;
  }

  get lagInMs(): number | null {
    const { oldestAt } = this.#backlog;
    if (oldestAt === undefined) return null;
    return oldestAt === null ? 0 : Math.max(0, this.#clock.now() - oldestAt);
  }

  polled(): void {
    this.#lastPolledAt = this.#clock.now();
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
