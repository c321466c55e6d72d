import type { Clock } from "../options/clock.ts";
import type { Delivery } from "./delivery.ts";
import { type Waiting, waitingNow } from "./waiting.ts";

/** How many scores had which outcome. */
export interface DeliveryCounts {
  /** Accepted by the sink. */
  delivered: number;
  /** Refused by the sink for good, and acknowledged as failed. */
  failed: number;
  /** Attempts that ended in `retry`; one score may count several times. */
  retried: number;
}

const noCounts: Readonly<DeliveryCounts> = { delivered: 0, failed: 0, retried: 0 };

/** What was added since an earlier reading. */
export function countsSince(now: DeliveryCounts, before: DeliveryCounts): DeliveryCounts {
  return {
    delivered: now.delivered - before.delivered,
    failed: now.failed - before.failed,
    retried: now.retried - before.retried,
  };
}

export type ForwarderState = "idle" | "running" | "paused" | "stopping" | "stopped" | "failed";

/** The state of one destination. */
export interface SinkHealth extends DeliveryCounts {
  sink: string;
  /** As in the forwarder's own health, of the rows that this sink has not decided about. */
  lagInMs: number | null;
  /** RFC 3339; `null` while it is not paused. */
  pausedUntil: string | null;
  lastProblem: string | null;
}

/** The state of a forwarder, as plain data for a health endpoint. */
export interface ForwarderHealth extends DeliveryCounts {
  /** `paused` while calls of the sink are paused, `failed` after the sink or the service has refused everything. */
  state: ForwarderState;
  sink: string;
  /** The same for each sink of a `fanOut`; one entry otherwise. */
  sinks: SinkHealth[];
  /** What the forwarder waits for, and why; empty if all goes well. */
  waiting: Waiting[];
  /** Delivered or refused, but not yet confirmed by the service. */
  unacknowledged: number;
  /** Rows that wait for another attempt. */
  deferred: number;
  /**
   * Age in milliseconds of the oldest row in this forwarder's share that is not settled, among the rows that the last
   * polls have listed. A row counts until its acknowledgement is confirmed. 0 for an empty queue, `null` before the first
   * poll. While the queue cannot be read, at least the time since it was last read.
   */
  lagInMs: number | null;
  /** RFC 3339; `null` before the first. */
  lastPolledAt: string | null;
  lastDeliveredAt: string | null;
  pausedUntil: string | null;
  /** The last problem, without personal data. */
  lastProblem: string | null;
  /** Why the last permanently refused row was refused; `null` before the first. */
  lastRefusal: string | null;
}

const rfc3339 = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());

type HealthSources = Pick<Delivery, "sink" | "clock" | "backlog" | "memory" | "limiter" | "service" | "acks">;

/** Counts and times that the health is read from. */
export class HealthRecord {
  readonly #sources: HealthSources;
  /** The time of day, for times that people read. */
  readonly #wallClock: Clock;
  state: ForwarderState = "idle";
  counts: DeliveryCounts = { ...noCounts };
  lastProblem: string | null = null;
  #lastRefusal: string | null = null;
  #lastSinkProblem: string | null = null;
  #lastPolledAt: number | undefined;
  #unreadSince: number | undefined;
  #lastDeliveredAt: number | undefined;

  constructor(sources: HealthSources, wallClock: Clock) {
    this.#sources = sources;
    this.#wallClock = wallClock;
  }

  polled(): void {
    this.#lastPolledAt = this.#wallClock.now();
    this.#unreadSince = undefined;
  }

  /** The queue could not be read, so unknown rows may be waiting. */
  pollFailed(): void {
    this.#unreadSince ??= this.#lastPolledAt ?? this.#wallClock.now();
  }

  delivered(): void {
    this.counts.delivered += 1;
    this.#lastDeliveredAt = this.#wallClock.now();
  }

  failed(reason: string): void {
    this.counts.failed += 1;
    this.#lastRefusal = reason;
    this.#lastSinkProblem = reason;
    this.lastProblem = reason;
  }

  retried(reason: string): void {
    this.counts.retried += 1;
    this.#lastSinkProblem = reason;
    this.lastProblem = reason;
  }

  read(): ForwarderHealth {
    const { sink, limiter, memory, acks } = this.#sources;
    const { pause } = limiter;
    const isPaused = this.state === "running" && pause !== undefined;
    const pausedUntil = isPaused ? this.#timeOf(pause.notBefore) : null;
    return {
      state: isPaused ? "paused" : this.state,
      sink: sink.name,
      sinks: this.sinks(),
      waiting: this.#waiting(),
      ...this.counts,
      unacknowledged: acks.size,
      deferred: memory.deferredCount,
      lagInMs: this.#lagInMs(),
      lastPolledAt: rfc3339(this.#lastPolledAt),
      lastDeliveredAt: rfc3339(this.#lastDeliveredAt),
      pausedUntil,
      lastProblem: this.lastProblem,
      lastRefusal: this.#lastRefusal,
    };
  }

  /** The state of each destination. */
  sinks(): SinkHealth[] {
    const { sink, limiter, clock } = this.#sources;
    const parts = sink.parts?.();
    if (parts === undefined) {
      const pausedUntil = limiter.pause ? this.#timeOf(limiter.pause.notBefore) : null;
      const lastProblem = this.#lastSinkProblem;
      return [{ sink: sink.name, ...this.counts, lagInMs: this.#lagInMs(), pausedUntil, lastProblem }];
    }
    return parts.map(({ name, pausedForInMs, needs, ...known }) => ({
      sink: name,
      ...known,
      lagInMs: this.#lagInMs(needs),
      pausedUntil: pausedForInMs > 0 ? this.#timeOf(clock.now() + pausedForInMs) : null,
    }));
  }

  #waiting(): Waiting[] {
    const { sink, acks, ...sources } = this.#sources;
    const timeOf = (moment: number) => this.#timeOf(moment);
    return waitingNow({ ...sources, sink: sink.name, unacknowledged: acks.size, timeOf });
  }

  #lagInMs(counts?: (id: string) => boolean): number | null {
    const listedAt = this.#sources.backlog.oldestAt(counts);
    const oldestAt = Math.min(listedAt ?? Infinity, this.#unreadSince ?? Infinity);
    if (oldestAt === Infinity) return listedAt === undefined ? null : 0;
    return Math.max(0, this.#wallClock.now() - oldestAt);
  }

  /** A moment of the monotonic clock as RFC 3339. */
  #timeOf(moment: number): string {
    return new Date(Math.round(this.#wallClock.now() + moment - this.#sources.clock.now())).toISOString();
  }
}
