import { type Judged, SinkCondition } from "../scores/sink-condition.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreEntry } from "./score-book.ts";

/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/** An open call of the sink. */
interface Call {
  since: number;
  entries: readonly ScoreEntry[];
  /** Whether it has taken too long and was aborted. */
  isLate?: boolean;
}

/**
 * The calls of the sink, and how many it may get at once: additive increase, multiplicative decrease. A rate-limited sink is
 * called at its own rate, and a dead one is probed.
 */
export class SinkCalls extends SinkCondition {
  /** By their numbers, the oldest first. */
  readonly open = new Map<number, Call>();
  readonly #most: number;
  readonly #timeoutInMs: number;
  #allowed: number;
  #last = 0;

  constructor(settings: Pick<DeliverySettings, "concurrency" | "random" | "sink" | "sinkTimeoutInMs">) {
    // A `fanOut` judges each of its sinks itself.
    super({ random: settings.random, keepsRejected: settings.sink.parts === undefined });
    this.#most = this.#allowed = settings.concurrency;
    this.#timeoutInMs = settings.sinkTimeoutInMs;
  }

  hasRoom(now: number): boolean {
    return !this.isPaused(now) && this.open.size < Math.floor(this.#allowed);
  }

  /** Returns the number of the call that begins. */
  begin(entries: readonly ScoreEntry[], now: number): number {
    this.#last += 1;
    this.open.set(this.#last, { since: now, entries });
    return this.#last;
  }

  /** The calls that prepare their scores or wait for the sink for too long. They end in outcomes like all others. */
  takeLate(isDue: (moment: number) => boolean): number[] {
    const late: number[] = [];
    for (const [number, call] of this.open) {
      if (call.isLate) continue;
      if (!isDue(call.since + this.#timeoutInMs)) break;
      call.isLate = true;
      late.push(number);
    }
    return late;
  }

  /** Records the outcomes of a call that has ended. Returns whether the sink has failed as a whole. */
  ended({ since }: Call, judged: readonly Judged[], now: number): boolean {
    const shown = this.answered(since, judged, now);
    if (shown === "failed") this.#allowed = Math.max(1, this.#allowed * shareAfterFailure);
    if (shown === "works") this.#allowed = Math.min(this.#most, this.#allowed + growth / this.#allowed);
    return shown === "failed" || shown === "failedBefore";
  }
}
