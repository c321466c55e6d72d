import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { type Backoff, waitInMs } from "../http/backoff.ts";
import { fieldOf, reasonIn } from "../scores/safe-sink.ts";
import { RefusalStreak, nextFailure, type Failure } from "../scores/failure.ts";

/** A request to the service that the forwarder repeats and of which one is open at a time: a page, or an acknowledgement. */
export class ServiceRequest {
  readonly #route: string;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  readonly #refusals = new RefusalStreak();
  /** How often it has failed. */
  failures = 0;
  /** Why the last one failed. */
  failure: Failure | undefined;
  /** When the open request was sent; `undefined` while none is open. */
  #openSince: number | undefined;
  /** Until when the service has asked to wait. */
  #askedUntil = 0;

  constructor(route: string, backoff: Backoff, random: () => number) {
    this.#route = route;
    this.#backoff = backoff;
    this.#random = random;
  }

  get isOpen(): boolean {
    return this.#openSince !== undefined;
  }

  /** Whether the service refuses the key of each request. */
  get isRefused(): boolean {
    return this.#refusals.isEverything;
  }

  sent(now: number): void {
    this.#openSince = now;
  }

  /** Its reply counts no more. */
  abandon(): void {
    this.#openSince = undefined;
  }

  succeeded(): void {
    this.#openSince = undefined;
    this.failure = undefined;
    this.#refusals.reset();
  }

  failed(error: unknown, now: number): void {
    this.#openSince = undefined;
    if (isRefusedKey(error)) this.#refusals.add(now);
    this.failures += 1;
    const reason = reasonIn({ reason: fieldOf(error, "message") ?? error });
    const askedInMs = ApiError.isInstance(error) ? error.retryAfterInMs : undefined;
    this.failure = nextFailure(this.failure, this.#backoff, { reason, now, random: this.#random, askedInMs });
    this.#askedUntil = now + waitInMs(0, askedInMs);
  }

  /** The next attempt does not wait for the backoff, only as long as the service has asked for. */
  hurry(): void {
    if (this.failure) this.failure = { ...this.failure, until: this.#askedUntil };
  }

  /** Begins to count refusals of the key anew. */
  forgetRefusals(): void {
    this.#refusals.reset();
  }

  /** Why it fails. A request that is open for `slowAfterInMs` counts as failing. */
  failureAt(now: number, slowAfterInMs: number): Failure | undefined {
    const since = this.#openSince ?? now;
    const reason = `${this.#route} has not been answered yet`;
    return now - since >= slowAfterInMs ? { reason, since, count: 0, until: now } : this.failure;
  }
}
