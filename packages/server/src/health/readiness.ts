import { diskFull, type Service, StoreUnavailable, timestamp } from "@afterword/reference-server/internal";
import { type Load } from "./load.ts";

const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;
const patienceInMs = 2000;
const sharedForMs = 1000;

/** Says whether a proxy is in front of the server, judged by one request. */
function proxiesOf(forwardedFor: string | null, trustedProxies: number): string {
  if (forwardedFor === null) return "none seen";
  return trustedProxies > 0 ? "trusted" : "untrusted";
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
 * @param stopwatch a monotonic clock, in milliseconds
 */
export function readinessOf(
  load: Pick<Load, "isDraining">,
  auditTrail?: { readonly problem?: string | undefined },
  stopwatch = performance.now.bind(performance),
) {
  let shared: { answer: Promise<void>; since: number } | undefined;

  /** Shares a query in flight, unless it has been hanging for a second. */
  function ping({ store }: Service): Promise<void> {
    const since = stopwatch();
    if (shared && since - shared.since < sharedForMs) return shared.answer;
    const answer = store.ping().finally(() => {
      if (shared === own) shared = undefined;
    });
    const own = { answer, since };
    shared = own;
    return answer;
  }

  /** @param forwardedFor the request's `X-Forwarded-For` */
  return async (service: Service, forwardedFor: string | null, trustedProxies: number): Promise<Response> => {
    if (load.isDraining) return unready({ server: "is stopping" });
    if (service.masterKeys.problem)
      return unready({ masterKey: "was rotated, and this server does not have the new one" });
    const proxies = proxiesOf(forwardedFor, trustedProxies);
    try {
      await within(patienceInMs, ping(service));
    } catch (error) {
      const isFull = error instanceof StoreUnavailable && error.reason === diskFull;
      return unready({ database: isFull ? diskFull : "does not answer" });
    }
    const at = timestamp(service.clock.now());
    // Still ready: a failing check would turn an attack into an outage, and ratings need no audit line. The port may be public,
    // so the reason is in the log.
    const audit = auditTrail?.problem === undefined ? undefined : "cannot be written";
    return Response.json({ status: "ready", at, proxies, audit }, { headers });
  };
}
