import { type Service } from "../domain/service.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { diskFull, StoreUnavailable } from "../store/store-unavailable.ts";
import { type Load } from "../limits/load.ts";

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;
const patienceInMs = 2000;
const sharedForMs = 1000;

/** The process runs. */
export function healthReply(): Response {
  return Response.json({ status: "ok" }, { headers });
}

/** Says whether a proxy is in front of the server, judged by one request. */
function proxiesOf(forwardedFor: string | null, trustedProxies: number): string {
  if (forwardedFor === null) return "none seen";
  return trustedProxies > 0 ? "trusted" : "untrusted";
}

export interface ReadinessOptions {
  service: Service;
  load: Load;
  /** Adds to a reply that is ready. Default: nothing. */
  remarks?: (() => object) | undefined;
  /** A monotonic clock, in milliseconds. Default: `performance.now`. */
  stopwatch?: () => number;
}

/** Rejects when there is no answer within the limit. */
export async function within<T>(limitInMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The database is too slow.")), limitInMs);
    timer.unref();
  });
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

const unready = (reason: object) =>
  Response.json(
    { status: "unavailable", ...reason },
    { status: 503, headers: { ...headers, "Retry-After": "2" } },
  );

/**
 * Whether the server can store answers; load balancers drop it for anything but 200. Concurrent checks share one query,
 * so that they use at most one connection a second.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  #ping: { answer: Promise<void>; since: number } | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** @param forwardedFor the request's `X-Forwarded-For` */
  async reply(forwardedFor: string | null, trustedProxies: number): Promise<Response> {
    const { load, service } = this.#options;
    if (load.isDraining) return unready({ server: "is stopping" });
    if (service.masterKeys.problem)
      return unready({ masterKey: "was rotated, and this server does not have the new one" });
    const proxies = proxiesOf(forwardedFor, trustedProxies);
    try {
      await within(patienceInMs, this.#answer());
    } catch (error) {
      const isFull = error instanceof StoreUnavailable && error.reason === diskFull;
      return unready({ database: isFull ? diskFull : "does not answer" });
    }
    const at = timestamp(service.clock.now());
    // Still ready: a failing check would turn an attack into an outage, and ratings need no audit line.
    const remarks = this.#options.remarks?.();
    return Response.json({ status: "ready", at, proxies, ...remarks }, { headers });
  }

  /** Shares a query in flight, unless it has been hanging for a second. */
  #answer(): Promise<void> {
    const { service, stopwatch = () => performance.now() } = this.#options;
    const now = stopwatch();
    if (this.#ping && now - this.#ping.since < sharedForMs) return this.#ping.answer;
    const answer = service.store.ping().finally(() => {
      if (this.#ping === ping) this.#ping = undefined;
    });
    const ping = { answer, since: now };
    this.#ping = ping;
    return answer;
  }
}
