import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { type Backoff, waitInMs } from "../http/backoff.ts";
import { fieldOf, reasonIn } from "../scores/call-deliver.ts";
import { RefusalStreak, type Trouble, worse } from "../scores/failure.ts";

/** A request to the service that the forwarder repeats and of which one is open at a time: a page, or an acknowledgement. */
export class ServiceRequest {
  readonly #route: string;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  readonly #refusals = new RefusalStreak();
  /** How often it has failed. */
  failures = 0;
  /** When the open request was sent; `undefined` while none is open. */
  openSince: number | undefined;
  /** Why the last one failed. */
  trouble: Trouble | undefined;
  /** Until when the service has asked to wait. */
  #askedUntil = 0;

  constructor(route: string, backoff: Backoff, random: () => number) {
    this.#route = route;
    this.#backoff = backoff;
    this.#random = random;
  }

  get isOpen(): boolean {
    return this.openSince !== undefined;
  }

  succeeded(): void {
    this.openSince = undefined;
    this.trouble = undefined;
    this.#refusals.reset();
  }

  /** The next attempt does not wait for the backoff, only as long as the service has asked for. */
  hurry(): void {
    if (this.trouble) this.trouble = { ...this.trouble, until: this.#askedUntil };
  }

  failed(error: unknown, now: number): void {
    this.openSince = undefined;
    if (isRefusedKey(error)) this.#refusals.add(now);
    this.failures += 1;
    const reason = reasonIn({ reason: fieldOf(error, "message") ?? error });
    const wishInMs = ApiError.isInstance(error) ? error.retryAfterInMs : undefined;
    this.trouble = worse(this.trouble, this.#backoff, { reason, now, random: this.#random, wishInMs });
    this.#askedUntil = now + waitInMs(0, wishInMs);
  }

  /** Begins to count refusals of the key anew. */
  forgetRefusals(): void {
    this.#refusals.reset();
  }

  /** Whether the service refuses the key of each request. */
  get isRefused(): boolean {
    return this.#refusals.isEverything;
  }

  /** Its trouble. A request that is open for `slowAfterInMs` is trouble too. */
  troubleAt(now: number, slowAfterInMs: number): Trouble | undefined {
    const { openSince: since = now } = this;
    const reason = `${this.#route} has not been answered yet`;
    return now - since >= slowAfterInMs ? { reason, since, failures: 0, until: now } : this.trouble;
  }
}
