import type { Delivery } from "./delivery.ts";
import { Progress } from "./progress.ts";
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

export type ForwarderState = "idle" | "running" | "paused" | "stopping" | "stopped" | "failed";

/** The state of one destination. */
export interface SinkHealth extends DeliveryCounts {
  sink: string;
  /** These three are as in the forwarder's own health, of the rows that this sink has not decided about. */
  pending: number;
  oldestAt: string | null;
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
  /**
   * Why a running forwarder is stalled; `null` if it is not. It is stalled when ratings wait, or may wait because the queue
   * cannot be read, and none was delivered for `stalledAfter`, and when its loop took no step for that long.
   */
  stalled: string | null;
  /** What the forwarder waits for, and why; empty if all goes well. */
  waiting: Waiting[];
  /** How many calls of the service have failed, the client's retries not counted. */
  serviceFailures: { polling: number; acknowledging: number };
  /** Delivered or refused, but not yet confirmed by the service. */
  unacknowledged: number;
  /** Rows that wait for another attempt. */
  deferred: number;
  /** Rows in this forwarder's share that are not settled, among those that the last polls have listed. */
  pending: number;
  /** RFC 3339, when the oldest of them was answered; `null` if none waits. */
  oldestAt: string | null;
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

type HealthSources = Pick<
  Delivery,
  "sink" | "clock" | "wallClock" | "backlog" | "memory" | "limiter" | "service" | "acks" | "stalledAfterInMs"
>;

/** Counts and times that the health is read from. */
export class HealthRecord {
  readonly #sources: HealthSources;
  readonly progress: Progress;
  state: ForwarderState = "idle";
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  lastProblem: string | null = null;
  #lastRefusal: string | null = null;
  #lastSinkProblem: string | null = null;
  #lastPolledAt: number | undefined;
  #unreadSince: number | undefined;
  #lastDeliveredAt: number | undefined;

  constructor(sources: HealthSources) {
    this.#sources = sources;
    this.progress = new Progress(sources);
  }

  began(): void {
    this.state = "running";
    this.progress.advanced();
  }

  polled(): void {
    this.progress.stepped();
    this.#lastPolledAt = this.#sources.wallClock.now();
    this.#unreadSince = undefined;
  }

  /** The queue could not be read, so unknown rows may be waiting. */
  pollFailed(): void {
    this.progress.pollFailed();
    this.#unreadSince ??= this.#lastPolledAt ?? this.#sources.wallClock.now();
  }

  delivered(): void {
    this.counts.delivered += 1;
    this.progress.advanced();
    this.#lastDeliveredAt = this.#sources.wallClock.now();
  }

  failed(reason: string): void {
    this.counts.failed += 1;
    this.progress.advanced();
    this.#lastRefusal = reason;
    this.#lastSinkProblem = reason;
    this.lastProblem = reason;
  }

  retried(reason: string): void {
    this.counts.retried += 1;
    this.progress.stepped();
    this.#lastSinkProblem = reason;
    this.lastProblem = reason;
  }

  read(): ForwarderHealth {
    const { sink, limiter, memory, acks, service } = this.#sources;
    const { pause } = limiter;
    const isRunning = this.state === "running";
    const isPaused = isRunning && pause !== undefined;
    const timeOf = (moment: number) => this.#timeOf(moment);
    const waiting = waitingNow({ ...this.#sources, sink: sink.name, unacknowledged: acks.size, timeOf });
    const pausedUntil = isPaused ? this.#timeOf(pause.notBefore) : null;
    return {
      state: isPaused ? "paused" : this.state,
      sink: sink.name,
      sinks: this.sinks(),
      stalled: isRunning ? this.progress.stalled(waiting[0]?.reason ?? null) : null,
      waiting,
      serviceFailures: { ...service.failures },
      ...this.counts,
      unacknowledged: acks.size,
      deferred: memory.deferredCount,
      ...this.#queue(),
      lastPolledAt: rfc3339(this.#lastPolledAt),
      lastDeliveredAt: rfc3339(this.#lastDeliveredAt),
      pausedUntil,
      lastProblem: this.lastProblem,
      lastRefusal: this.#lastRefusal,
    };
  }

  sinks(): SinkHealth[] {
    const { sink, limiter, clock } = this.#sources;
    const parts = sink.parts?.();
    if (parts === undefined) {
      const pausedUntil = limiter.pause ? this.#timeOf(limiter.pause.notBefore) : null;
      const lastProblem = this.#lastSinkProblem;
      return [{ sink: sink.name, ...this.counts, ...this.#queue(), pausedUntil, lastProblem }];
    }
    return parts.map(({ name, pausedForInMs, needs, ...known }) => ({
      sink: name,
      ...known,
      ...this.#queue(needs),
      pausedUntil: pausedForInMs > 0 ? this.#timeOf(clock.now() + pausedForInMs) : null,
    }));
  }

  /** How many rows wait, since when, and the lag. Default: all rows count. */
  #queue(counts?: (id: string) => boolean) {
    const { backlog } = this.#sources;
    const listedAt = backlog.oldestAt(counts);
    const oldestAt = Math.min(listedAt ?? Infinity, this.#unreadSince ?? Infinity);
    const unknownLag = listedAt === undefined ? null : 0;
    return {
      pending: backlog.count(counts),
      oldestAt: rfc3339(listedAt ?? undefined),
      lagInMs: oldestAt === Infinity ? unknownLag : Math.max(0, this.#sources.wallClock.now() - oldestAt),
    };
  }

  /** A moment of the monotonic clock as RFC 3339. */
  #timeOf(moment: number): string {
    return new Date(
      Math.round(this.#sources.wallClock.now() + moment - this.#sources.clock.now()),
    ).toISOString();
  }
}
