import { waitInMs } from "../http/backoff.ts";
import type { Outcome } from "../scores/sink.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;

/** After so many refusals in a row the circuit opens as well: each score would be refused. */
const refusalsBeforePause = 3;
/** So many scores in a row refused for good, and none accepted between them: the sink, not the scores, is wrong. */
const rejectionsBeforeKeeping = 5;
const firstPauseInMs = 1000;
const longestPauseInMs = 60_000;

/**
 * Pauses one of several sinks after it has failed as a whole, so that the others need not wait for it: for one second,
 * twice as long after each failed probe, up to a minute, or for as long as the sink asks if that is longer. Then one call
 * at a time probes it.
 */
export class CircuitBreaker {
  #until = 0;
  #failures = 0;
  #refusals = 0;
  #rejections = 0;
  /** How long to wait for a probe: one that never ends must not prevent the next. */
  #probedUntil = 0;
  #reason = "";

  /** The remaining pause; it lasts until a call has succeeded. */
  leftInMs(now: number): number {
    return this.#failures === 0 ? 0 : Math.max(1, this.#until - now);
  }

  /** The outcome for scores while the circuit is open; `undefined` when the sink may be called. */
  instead(now: number): Retry | undefined {
    if (this.#failures === 0) return undefined;
    const isProbed = now < this.#probedUntil;
    if (now >= this.#until && !isProbed) return undefined;
    const afterInMs = Math.max(this.#until - now, isProbed ? firstPauseInMs : 0);
    return { outcome: "retry", scope: "sink", reason: this.#reason, afterInMs };
  }

  get isOn(): boolean {
    return this.#failures > 0;
  }

  /** The outcome as it counts: a sink that refuses everything for good must not use up the queue. */
  judged(outcome: Outcome): Outcome {
    if (outcome.outcome === "delivered") this.#rejections = 0;
    if (outcome.outcome !== "permanent") return outcome;
    this.#rejections += 1;
    if (this.#rejections <= rejectionsBeforeKeeping) return outcome;
    const reason = `${outcome.reason}; ${rejectionsBeforeKeeping} scores in a row were refused for good, so the others are kept`;
    return { outcome: "retry", scope: "sink", reason };
  }

  called(now: number): void {
    if (this.#failures > 0) this.#probedUntil = now + longestPauseInMs;
  }

  /** Records the outcomes of a call that began at `startedAt`. Calls that fail together count once. */
  answered(outcomes: readonly Outcome[], startedAt: number, now: number): void {
    this.#probedUntil = 0;
    const isEarlier = startedAt < this.#until;
    const failures = outcomes.filter((one): one is Retry => one.outcome === "retry" && one.scope === "sink");
    const refusal = outcomes.find((one) => one.outcome === "fatal");
    this.#refusals = refusal ? this.#refusals + 1 : 0;
    const [failure = this.#refusals >= refusalsBeforePause ? refusal : undefined] = failures;
    if (failure === undefined && refusal) return;
    if (failure === undefined) {
      // Of several concurrent calls some may pass a rate limit that the others hit.
      if (!isEarlier) this.#failures = 0;
      return;
    }
    if (!isEarlier) this.#failures += 1;
    const backoffInMs = Math.min(firstPauseInMs * 2 ** (this.#failures - 1), longestPauseInMs);
    const wishInMs = Math.max(0, ...failures.map(({ afterInMs }) => afterInMs || 0));
    this.#until = Math.max(this.#until, now + waitInMs(backoffInMs, wishInMs));
    this.#reason = failure.reason;
  }
}
