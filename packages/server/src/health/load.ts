import { type Permit } from "@afterword/reference-server";
import { Refusal, retryAfterInSeconds, type ShedReason } from "@afterword/reference-server/internal";

const retryAfter = { "Retry-After": String(retryAfterInSeconds) };
const refusals = {
  unavailable: { detail: "Retry the same request: nothing is stored twice.", headers: retryAfter },
  rate_limited: {
    detail: "Too many unfinished requests from this address: complete their bodies first.",
    // Do not wait for the rest of this body.
    headers: { ...retryAfter, Connection: "close" },
  },
};

/** The request was shed: 429 if its client is the cause, otherwise 503. */
function overloaded(shed: ShedReason): Refusal {
  const code = shed === "unfinished" ? "rate_limited" : "unavailable";
  return new Refusal(code, { ...refusals[code], shed });
}

/** What a server takes in at once, before it refuses more with 503 or, if one client is the cause, 429. */
export interface LoadLimits {
  /** Complete requests in flight at once. Default 1,000. */
  requests?: number;
  /** Received bytes of all request bodies. Default 64 MiB. */
  bodyBytes?: number;
  /** Requests with incomplete bodies per client address, which would keep all others out. Default 100. */
  unfinishedPerAddress?: number;
}

/** Share of the bytes that one address may use with incomplete bodies. */
const shareOfBytes = 1 / 8;

/** Incomplete requests of one client address. */
interface Unfinished {
  address: string;
  requests: number;
  bytes: number;
}

/**
 * Sheds requests before memory grows: in a queue longer than the server can handle, all would time out.
 * A request takes a slot when its body is complete; until then it counts against its client alone.
 */
export class Load {
  readonly #limits: Required<LoadLimits>;
  readonly #unfinished = new Map<string, Unfinished>();
  #requests = 0;
  #bodyBytes = 0;
  #isDraining = false;

  constructor(limits: LoadLimits = {}) {
    this.#limits = {
      requests: 1000,
      bodyBytes: 64 * 1024 * 1024,
      unfinishedPerAddress: 100,
      ...limits,
    };
  }

  /** A permit for a new request. Return it with `leave`. @throws Refusal */
  permit(): Permit {
    const { requests, bodyBytes, unfinishedPerAddress } = this.#limits;
    if (this.#requests >= requests) throw overloaded("requests");
    let held = 0;
    let hasSlot = false;
    /** Where the body is awaited from, with what else is. */
    let awaited: Unfinished | undefined;
    const finish = () => {
      if (!awaited) return;
      awaited.requests--;
      awaited.bytes -= held;
      if (awaited.requests === 0) this.#unfinished.delete(awaited.address);
      awaited = undefined;
    };
    return {
      awaitBody: (address) => {
        const known = this.#unfinished.get(address) ?? { address, requests: 0, bytes: 0 };
        if (known.requests >= unfinishedPerAddress) throw overloaded("unfinished");
        known.requests++;
        this.#unfinished.set(address, (awaited = known));
      },
      // Announced bytes do not count: a client that announces a large body and sends nothing cannot lock others out.
      hold: (bytes) => {
        if (this.#bodyBytes + bytes > bodyBytes) throw overloaded("body-bytes");
        if (awaited && awaited.bytes + bytes > bodyBytes * shareOfBytes) throw overloaded("unfinished");
        if (awaited) awaited.bytes += bytes;
        this.#bodyBytes += bytes;
        held += bytes;
      },
      enter: () => {
        finish();
        if (this.#requests >= requests) throw overloaded("requests");
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

  /** The server is about to stop: no longer ready, but still answering. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get requestsInFlight(): number {
    return this.#requests;
  }

  get unfinishedRequests(): number {
    return [...this.#unfinished.values()].reduce((sum, { requests }) => sum + requests, 0);
  }
}
