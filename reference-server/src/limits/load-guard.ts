import { StoreUnavailable } from "../store/store-unavailable.ts";

export interface LoadLimits {
  /** Requests in flight at once. Default 1,000. */
  requests?: number;
  /** Bytes that have arrived of the bodies of all requests in flight. Default 64 MiB. */
  bodyBytes?: number;
}

/** One request on its way through. */
export interface Passage {
  /**
   * Counts bytes of its body as they arrive: those that are only announced take no memory, and whoever announces much
   * and sends nothing must not shut the others out. @throws StoreUnavailable
   */
  hold(bytes: number): void;
  /** Call once, whatever became of it. */
  leave(): void;
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

  /** Counts a request in; it ends with what is returned. @throws StoreUnavailable */
  enter(): Passage {
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
