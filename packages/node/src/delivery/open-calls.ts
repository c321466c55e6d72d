import { type Judged, SinkCondition } from "../scores/sink-condition.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreEntry } from "./score-book.ts";

/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/** A call of the sink, when it began, and the scores that it pushes. */
export interface SinkCall {
  readonly since: number;
  readonly entries: readonly ScoreEntry[];
}

/**
 * The calls of the sink, and how many it may get at once: additive increase, multiplicative decrease. A rate-limited sink is
 * called at its own rate, and a dead one is probed.
 */
export class OpenCalls extends SinkCondition {
  readonly #open = new Set<SinkCall>();
  readonly #most: number;
  #allowed: number;

  constructor(settings: Pick<DeliverySettings, "concurrency" | "random" | "sink">) {
    // A `fanOut` judges each of its sinks itself.
    super({ random: settings.random, keepsRejected: settings.sink.parts === undefined });
    this.#most = this.#allowed = settings.concurrency;
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  isOpen(call: SinkCall): boolean {
    return this.#open.has(call);
  }

  hasRoom(now: number): boolean {
    return !this.isPaused(now) && this.#open.size < Math.floor(this.#allowed);
  }

  begin(entries: readonly ScoreEntry[], now: number): SinkCall {
    const call = { since: now, entries };
    this.#open.add(call);
    return call;
  }

  /** The outcomes of the calls under way count no more. */
  abandonAll(): void {
    this.#open.clear();
  }

  /** Records the outcomes of a call that has ended. Returns whether the sink has failed as a whole. */
  ended(call: SinkCall, judged: readonly Judged[], now: number): boolean {
    this.#open.delete(call);
    const shown = this.answered(call.since, judged, now);
    if (shown === "failed") this.#allowed = Math.max(1, this.#allowed * shareAfterFailure);
    if (shown === "works") this.#allowed = Math.min(this.#most, this.#allowed + growth / this.#allowed);
    return shown === "failed" || shown === "failedBefore";
  }
}
