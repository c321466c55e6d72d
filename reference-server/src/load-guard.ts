import { StoreUnavailable } from "./store/store-unavailable.ts";

export interface LoadLimits {
  /** Requests in flight at once. Default 1,000. */
  requests?: number;
  /** Bytes of the bodies of all requests in flight; what is not declared counts as the route's limit. Default 64 MiB. */
  bodyBytes?: number;
}

/** Says no before memory grows: a queue that is longer than can be worked off helps nobody in it (decision D65). */
export class LoadGuard {
  readonly #limits: Required<LoadLimits>;
  #requests = 0;
  #bodyBytes = 0;
  #isDraining = false;

  constructor(limits: LoadLimits = {}) {
    this.#limits = { requests: 1000, bodyBytes: 64 * 1024 * 1024, ...limits };
  }

  /** Counts a request in. Call `leave` with the same number, also when it failed. @throws StoreUnavailable */
  enter(bodyBytes: number): void {
    if (this.#isDraining) throw new StoreUnavailable("the server is stopping");
    const { requests, bodyBytes: mostBytes } = this.#limits;
    if (this.#requests >= requests || this.#bodyBytes + bodyBytes > mostBytes) {
      throw new StoreUnavailable("too many requests are in flight");
    }
    this.#requests++;
    this.#bodyBytes += bodyBytes;
  }

  leave(bodyBytes: number): void {
    this.#requests--;
    this.#bodyBytes -= bodyBytes;
  }

  /** From now on every new request is refused, and connections are closed with their answers. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get requestsInFlight(): number {
    return this.#requests;
  }
}
