import { StoreUnavailable } from "../store/store-unavailable.ts";

export interface LoadLimits {
  /** Requests in flight at once. Default 1,000. */
  requests?: number;
  /** Bytes that have arrived of the bodies of all requests in flight. Default 64 MiB. */
  bodyBytes?: number;
}

/** One request's share of the load. */
export interface Permit {
  /**
   * Counts bytes of its body as they arrive: bytes that are only announced take no memory, so a client that announces
   * much and sends nothing cannot shut others out. @throws StoreUnavailable
   */
  hold(bytes: number): void;
  /** Call once, whatever became of the request. */
  leave(): void;
}

/** Refuses requests before memory grows: a queue longer than the server can work off helps none in it (decision D65). */
export class Load {
  readonly #limits: Required<LoadLimits>;
  #requests = 0;
  #bodyBytes = 0;
  #isDraining = false;

  constructor(limits: LoadLimits = {}) {
    this.#limits = { requests: 1000, bodyBytes: 64 * 1024 * 1024, ...limits };
  }

  /** Counts a request in until its permit is given back. @throws StoreUnavailable */
  enter(): Permit {
    if (this.#isDraining) throw new StoreUnavailable("the server is stopping");
    if (this.#requests >= this.#limits.requests)
      throw new StoreUnavailable("too many requests are in flight");
    this.#requests++;
    let held = 0;
    return {
      hold: (bytes) => {
        if (this.#bodyBytes + bytes > this.#limits.bodyBytes)
          throw new StoreUnavailable("too much is being sent at once");
        this.#bodyBytes += bytes;
        held += bytes;
      },
      leave: () => {
        this.#requests--;
        this.#bodyBytes -= held;
      },
    };
  }

  /** Refuses every new request from now on, and closes connections with their replies. */
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
