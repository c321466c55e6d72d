import { waitInMs } from "../http/backoff.ts";
import type { Outcome } from "../scores/sink.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;

/** From so many refusals in a row on, it is left in peace as well: each row would be refused. */
const refusalsBeforePause = 3;
const firstPauseInMs = 1000;
const longestPauseInMs = 60_000;

/**
 * Leaves one of several sinks in peace after it has failed as a whole, so that the others need not wait for it: for a
 * second, and twice as long after each probe in vain, up to a minute, or for as long as it asks where that is longer. One
 * call at a time probes it then.
 */
export class CircuitBreaker {
  #until = 0;
  #failures = 0;
  #refusals = 0;
  /** Until when a call that probes is waited for; one that never ends must not end the probing. */
  #probedUntil = 0;
  #reason = "";

  /** Milliseconds for which it is left in peace from now on. */
  leftInMs(now: number): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#until - now);
  }

  /** The outcome for scores that are not to be sent now, or nothing when the sink may be called. */
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

  /** Notes that the sink is called. */
  called(now: number): void {
    if (this.#failures > 0) this.#probedUntil = now + longestPauseInMs;
  }

  /** Notes what it answered to a call that began at that moment; calls that failed together count once. */
  answered(outcomes: readonly Outcome[], startedAt: number, now: number): void {
    this.#probedUntil = 0;
    const isEarlier = startedAt < this.#until;
    const failures = outcomes.filter((one): one is Retry => one.outcome === "retry" && one.scope === "sink");
    const refusal = outcomes.find((one) => one.outcome === "fatal");
    this.#refusals = refusal ? this.#refusals + 1 : 0;
    const [failure = this.#refusals >= refusalsBeforePause ? refusal : undefined] = failures;
    if (failure === undefined && refusal) return;
    if (failure === undefined) {
      // Of several calls at once some may get through a limit that the others ran into.
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
