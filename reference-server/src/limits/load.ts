import { Overloaded, type ShedReason } from "./overloaded.ts";

export interface LoadLimits {
  /** Complete requests in flight at once. Default 1,000. */
  requests?: number;
  /** Bytes that have arrived of the bodies of all requests. Default 64 MiB. */
  bodyBytes?: number;
  /** Requests of one client address whose bodies have not arrived. Default 100. */
  unfinishedPerAddress?: number;
  /** Milliseconds of a monotonic clock. Default: the system's. */
  stopwatch?: () => number;
}

/** One address may fill this part of the bytes with unfinished bodies. */
const shareOfBytes = 1 / 8;
const recentInMs = 60_000;

/** What one client address has begun to send. */
interface Unfinished {
  requests: number;
  bytes: number;
}

/** One request's share of the load. */
export interface Permit {
  /** The body has not arrived: counts it against its client until `enter`. @throws Overloaded */
  awaitBody(address: string): void;
  /**
   * Counts bytes of the body as they arrive: bytes that are only announced take no memory, so a client that announces
   * much and sends nothing cannot shut others out. @throws Overloaded
   */
  hold(bytes: number): void;
  /** The request is complete: takes one of the slots. @throws Overloaded */
  enter(): void;
  /** Call once, whatever became of the request. */
  leave(): void;
}

/**
 * Refuses requests before memory grows: a queue longer than the server can work off helps none in it (decision D65).
 * A request takes a slot when its body is complete; until then it counts against its client alone (decision O71).
 */
export class Load {
  readonly #limits: Required<LoadLimits>;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #shedAt = new Map<ShedReason, number>();
  #requests = 0;
  #bodyBytes = 0;
  #isDraining = false;

  constructor(limits: LoadLimits = {}) {
    this.#limits = {
      requests: 1000,
      bodyBytes: 64 * 1024 * 1024,
      unfinishedPerAddress: 100,
      stopwatch: () => performance.now(),
      ...limits,
    };
  }

  /** Where a request begins. Give the permit back with `leave`. @throws Overloaded */
  permit(): Permit {
    if (this.#requests >= this.#limits.requests) throw this.#shed("requests");
    let held = 0;
    let hasSlot = false;
    let address: string | undefined;
    const finish = () => {
      if (address !== undefined) this.#finish(address, held);
      address = undefined;
    };
    return {
      awaitBody: (from) => {
        this.#begin(from);
        address = from;
      },
      hold: (bytes) => {
        this.#hold(bytes, address);
        held += bytes;
      },
      enter: () => {
        finish();
        if (this.#requests >= this.#limits.requests) throw this.#shed("requests");
        this.#requests++;
        hasSlot = true;
      },
      leave: () => {
        finish();
        if (hasSlot) this.#requests--;
        this.#bodyBytes -= held;
      },
    };
  }

  #begin(address: string): void {
    const known = this.#unfinished.get(address) ?? { requests: 0, bytes: 0 };
    if (known.requests >= this.#limits.unfinishedPerAddress) throw this.#shed("unfinished");
    known.requests++;
    this.#unfinished.set(address, known);
  }

  #finish(address: string, bytes: number): void {
    const known = this.#unfinished.get(address)!;
    known.requests--;
    known.bytes -= bytes;
    if (known.requests === 0) this.#unfinished.delete(address);
  }

  #hold(bytes: number, address: string | undefined): void {
    const { bodyBytes } = this.#limits;
    if (this.#bodyBytes + bytes > bodyBytes) throw this.#shed("body-bytes");
    const known = address === undefined ? undefined : this.#unfinished.get(address)!;
    if (known && known.bytes + bytes > bodyBytes * shareOfBytes) throw this.#shed("unfinished");
    if (known) known.bytes += bytes;
    this.#bodyBytes += bytes;
  }

  #shed(reason: ShedReason): Overloaded {
    this.#shedAt.set(reason, this.#limits.stopwatch());
    return new Overloaded(reason);
  }

  /** Why requests were shed during the last minute; empty when none was. */
  get recentlyShed(): ShedReason[] {
    const since = this.#limits.stopwatch() - recentInMs;
    return [...this.#shedAt].filter(([, at]) => at > since).map(([reason]) => reason);
  }

  /** The server is about to stop: it is not ready any more, and still answers. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get requestsInFlight(): number {
    return this.#requests;
  }

  /** Requests whose bodies have not arrived. */
  get unfinishedRequests(): number {
    return [...this.#unfinished.values()].reduce((sum, { requests }) => sum + requests, 0);
  }
}
