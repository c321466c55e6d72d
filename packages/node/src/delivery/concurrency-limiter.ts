import { backoffInMs, waitInMs, type Backoff } from "../http/backoff.ts";
import type { DeliverySettings } from "./forwarder-options.ts";

type LimiterSettings = Pick<DeliverySettings, "concurrency" | "clock" | "random">;

/** Short at first: an occasional failure must not pause a healthy sink for a second. */
const backoff: Backoff = { firstInMs: 100, longestInMs: 60_000 };

/** The permission to make one call, numbered in order. */
export type Permit = number;

/**
 * Limits calls of the sink: additive increase, multiplicative decrease. A failure of the sink as a whole pauses all calls
 * and halves how many may run at once; each success raises the number a little. So a rate-limited sink is called at its
 * own rate, and a dead one is probed.
 */
export class ConcurrencyLimiter {
  readonly #options: LimiterSettings;
  #allowed: number;
  #running = 0;
  #issued: Permit = 0;
  #issuedAtFailure: Permit = 0;
  #failures = 0;
  #pausedUntil = 0;
  #pausedSince = 0;
  #reason = "";
  #waiting: (() => void)[] = [];

  constructor(options: LimiterSettings) {
    this.#options = options;
    this.#allowed = options.concurrency;
  }

  /** Waves of failures without a success between them. */
  get failures(): number {
    return this.#failures;
  }

  /** Why the sink is paused, since when and until when; `undefined` if it is not. */
  get pause(): { reason: string; since: number; notBefore: number } | undefined {
    if (this.#pausedUntil <= this.#options.clock.now()) return undefined;
    return { reason: this.#reason, since: this.#pausedSince, notBefore: this.#pausedUntil };
  }

  /** A permit, or `undefined` if the call must wait. */
  tryAcquire(): Permit | undefined {
    if (this.#pausedUntil > this.#options.clock.now()) return undefined;
    if (this.#running >= Math.floor(this.#allowed)) return undefined;
    this.#running += 1;
    this.#issued += 1;
    return this.#issued;
  }

  /** Waits for a permit. Resolves to `undefined` if the signal is aborted; call `wake` then. */
  async acquire(signal: AbortSignal): Promise<Permit | undefined> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const permit = this.tryAcquire();
      if (permit !== undefined) return permit;
      const pauseInMs = this.#pausedUntil - clock.now();
      await (pauseInMs > 0
        ? clock.sleep(pauseInMs, signal)
        : new Promise<void>((resolve) => this.#waiting.push(resolve)));
    }
    return undefined;
  }

  release(): void {
    this.#running -= 1;
    this.wake();
  }

  wake(): void {
    if (this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  succeeded(): void {
    this.#failures = 0;
    this.#allowed = Math.min(this.#options.concurrency, this.#allowed + 1 / this.#allowed);
  }

  /** Records a failure of the sink as a whole; `afterInMs` is the wait it asked for. Concurrent failures count once. */
  failed(permit: Permit, reason: string, afterInMs?: number): void {
    const { clock, random } = this.#options;
    if (this.#failures === 0 || reason !== this.#reason) this.#pausedSince = clock.now();
    this.#reason = reason;
    if (permit > this.#issuedAtFailure) {
      this.#failures += 1;
      this.#issuedAtFailure = this.#issued;
      this.#allowed = Math.max(1, this.#allowed / 2);
    }
    const pauseInMs = waitInMs(backoffInMs(backoff, this.#failures, random), afterInMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, clock.now() + pauseInMs);
  }
}
