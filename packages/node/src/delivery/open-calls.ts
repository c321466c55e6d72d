import { type Judged, SinkCondition } from "../scores/sink-condition.ts";
import type { Agenda } from "./agenda.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { SinkCall } from "./forwarder-state.ts";
import type { ScoreEntry } from "./score-book.ts";

/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/**
 * The calls of the sink, and how many it may get at once: additive increase, multiplicative decrease. A rate-limited sink is
 * called at its own rate, and a dead one is probed.
 */
export class OpenCalls extends SinkCondition {
  /** The oldest first. */
  readonly #open = new Set<SinkCall>();
  readonly #most: number;
  readonly #timeoutInMs: number;
  #allowed: number;

  constructor(settings: Pick<DeliverySettings, "concurrency" | "random" | "sink" | "sinkTimeoutInMs">) {
    // A `fanOut` judges each of its sinks itself.
    super({ random: settings.random, keepsRejected: settings.sink.parts === undefined });
    this.#most = this.#allowed = settings.concurrency;
    this.#timeoutInMs = settings.sinkTimeoutInMs;
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
    const call = { since: now, entries, cut: new AbortController() };
    this.#open.add(call);
    return call;
  }

  /** Cuts the calls that prepare their scores or wait for the sink for too long. They end in outcomes like all others. */
  cutLate(agenda: Agenda): void {
    for (const { since, cut } of this.#open) {
      if (cut.signal.aborted) continue;
      if (!agenda.isDue(since + this.#timeoutInMs)) break;
      cut.abort();
    }
  }

  abortAll(): void {
    for (const { cut } of this.#open) cut.abort();
  }

  /** Cuts all calls, whose outcomes count no more. */
  cutAll(): void {
    this.abortAll();
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
