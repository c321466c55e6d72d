import { type Reply } from "./reply.ts";

const exposed = "Retry-After, RateLimit, RateLimit-Policy";
const preflightLifetimeInSeconds = "7200";

/** On every reply of a public route, refusals too: a page must be able to read the 409 and the 429 (decision D44). */
export function addCors(headers: Record<string, string>, origin: string | undefined): void {
  headers["Vary"] = "Origin";
  if (origin === undefined) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = exposed;
}

/** A preflight carries no key, which may be in the body: so any origin may ask, and the request itself is checked. */
export function preflightReply(origin: string | undefined, methods: readonly string[]): Reply {
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Origin": origin ?? "*",
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": "content-type",
      "Access-Control-Max-Age": preflightLifetimeInSeconds,
      "Cache-Control": "no-store",
      "Vary": "Origin",
    },
    body: null,
  };
}
