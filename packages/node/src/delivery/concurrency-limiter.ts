import { backoffInMs, waitInMs, type Backoff } from "../http/backoff.ts";
import type { Clock } from "../options/clock.ts";

export interface ConcurrencyLimiterOptions {
  /** Most calls of the sink at once. */
  concurrency: number;
  clock: Clock;
  random: () => number;
}

/** Short at first: a sink that fails once in a while, as any does, must not stand still for a second each time. */
const backoff: Backoff = { firstInMs: 100, longestInMs: 60_000 };

/** A call that was let through, by its number. */
export type Permit = number;

/**
 * Lets calls through to the sink. A failure of the sink pauses all of them and halves how many may run at once; each
 * success brings the number up again by a little: a rate-limited sink is met at its own pace, a dead one is probed.
 */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyLimiterOptions;
  #allowed: number;
  #running = 0;
  #issued: Permit = 0;
  #issuedAtFailure: Permit = 0;
  #failures = 0;
  #pausedUntil = 0;
  #pausedSince = 0;
  #reason = "";
  #waiting: (() => void)[] = [];

  constructor(options: ConcurrencyLimiterOptions) {
    this.#options = options;
    this.#allowed = options.concurrency;
  }

  /** Waves of failures without a success between them. */
  get failures(): number {
    return this.#failures;
  }

  /** Why the sink is left in peace, since when and until when; nothing when it is not. */
  get pause(): { reason: string; since: number; notBefore: number } | undefined {
    if (this.#pausedUntil <= this.#options.clock.now()) return undefined;
    return { reason: this.#reason, since: this.#pausedSince, notBefore: this.#pausedUntil };
  }

  /** Lets a call through at once; nothing where it must wait for its turn. */
  tryAcquire(): Permit | undefined {
    if (this.#pausedUntil > this.#options.clock.now()) return undefined;
    if (this.#running >= Math.floor(this.#allowed)) return undefined;
    this.#running += 1;
    this.#issued += 1;
    return this.#issued;
  }

  /** Waits for its turn. Resolves to nothing when the signal was aborted meanwhile; `wake` makes waiters look. */
  async acquire(signal: AbortSignal): Promise<Permit | undefined> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const permit = this.tryAcquire();
      if (permit !== undefined) return permit;
      const pauseInMs = this.#pausedUntil - clock.now();
      await (pauseInMs > 0 ? clock.sleep(pauseInMs, signal) : this.#turn());
    }
    return undefined;
  }

  /** Ends a call and lets the next one through. */
  release(): void {
    this.#running -= 1;
    this.wake();
  }

  /** Makes those who wait for their turn look again. */
  wake(): void {
    if (this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The sink has answered as it should. */
  succeeded(): void {
    this.#failures = 0;
    this.#allowed = Math.min(this.#options.concurrency, this.#allowed + 1 / this.#allowed);
  }

  /** The sink has failed as a whole; `afterInMs` is its own wish. Calls that were under way together count once. */
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

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
