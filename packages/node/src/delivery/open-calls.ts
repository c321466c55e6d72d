import { type Judged, SinkCondition } from "../scores/sink-condition.ts";
import type { Agenda } from "./agenda.ts";
import type { DeliverySettings } from "./forwarder-options.ts";

/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/**
 * The calls of the sink, and how many it may get at once: additive increase, multiplicative decrease. A rate-limited sink is
 * called at its own rate, and a dead one is probed.
 */
export class OpenCalls extends SinkCondition {
  /** The open calls by their numbers, the oldest first. One that is late has taken too long and was aborted. */
  readonly #open = new Map<number, { since: number; isLate: boolean }>();
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

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  isOpen(call: number): boolean {
    return this.#open.has(call);
  }

  hasRoom(now: number): boolean {
    return !this.isPaused(now) && this.#open.size < Math.floor(this.#allowed);
  }

  /** Returns the number of the call that begins. */
  begin(now: number): number {
    this.#last += 1;
    this.#open.set(this.#last, { since: now, isLate: false });
    return this.#last;
  }

  /** Cuts the calls that prepare their scores or wait for the sink for too long. They end in outcomes like all others. */
  cutLate(agenda: Agenda): void {
    for (const [number, call] of this.#open) {
      if (call.isLate) continue;
      if (!agenda.isDue(call.since + this.#timeoutInMs)) break;
      call.isLate = true;
      agenda.effects.push({ do: "cut", call: number });
    }
  }

  /** Cuts all calls, whose outcomes count no more. */
  cutAll({ effects }: Agenda): void {
    for (const call of this.#open.keys()) effects.push({ do: "cut", call });
    this.#open.clear();
  }

  /** Records the outcomes of a call that has ended. Returns whether the sink has failed as a whole. */
  ended(call: number, judged: readonly Judged[], now: number): boolean {
    const { since } = this.#open.get(call)!;
    this.#open.delete(call);
    const shown = this.answered(since, judged, now);
    if (shown === "failed") this.#allowed = Math.max(1, this.#allowed * shareAfterFailure);
    if (shown === "works") this.#allowed = Math.min(this.#most, this.#allowed + growth / this.#allowed);
    return shown === "failed" || shown === "failedBefore";
  }
}
