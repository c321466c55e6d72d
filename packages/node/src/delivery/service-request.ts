import type { Backoff } from "../http/backoff.ts";
import { RefusalStreak, type Trouble, worse } from "./trouble.ts";

/** A request to the service that the forwarder repeats and of which one is open at a time: a page, or an acknowledgement. */
export class ServiceRequest {
  readonly #route: string;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  readonly #refusals = new RefusalStreak();
  #failures = 0;
  /** When the open request was sent; `undefined` while none is open. */
  openSince: number | undefined;
  /** Why the last one failed. */
  trouble: Trouble | undefined;

  constructor(route: string, backoff: Backoff, random: () => number) {
    this.#route = route;
    this.#backoff = backoff;
    this.#random = random;
  }

  succeeded(): void {
    this.openSince = undefined;
    this.trouble = undefined;
    this.#refusals.reset();
  }

  failed(reason: string, now: number): void {
    this.openSince = undefined;
    this.worsen(reason, now);
  }

  /** Counts a failure that says nothing about the request that may be open. */
  worsen(reason: string, now: number): void {
    this.#failures += 1;
    this.trouble = worse(this.trouble, this.#backoff, { reason, now, random: this.#random });
  }

  /** Records that the service refuses the key. Returns whether it refuses each request. */
  refused(now: number): boolean {
    this.#refusals.add(now);
    return this.#refusals.isEverything(now);
  }

  /** Its trouble and how often it has failed. A request that is open for `slowAfterInMs` is trouble too. */
  status(now: number, slowAfterInMs: number): { trouble: Trouble | undefined; failures: number } {
    const { openSince: since = now } = this;
    const reason = `${this.#route} has not been answered yet`;
    const isSlow = now - since >= slowAfterInMs;
    const trouble = isSlow ? { reason, since, failures: 0, until: now } : this.trouble;
    return { trouble, failures: this.#failures };
  }
}
