import { JsonText, type StreamedReply } from "./handlers.ts";
import { streamedBody } from "./streamed-body.ts";

/** On every reply but the description of the interface (decision D64). */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

function isStreamed(answer: object): answer is StreamedReply {
  return "chunks" in answer;
}

/** The reply to a handler's answer. A HEAD request gets the header alone. */
export async function successReply(
  answer: object,
  status: number,
  headers: Record<string, string>,
  isHead: boolean,
): Promise<Response> {
  headers["Content-Type"] = jsonType;
  if (!isStreamed(answer)) {
    return new Response(answer instanceof JsonText ? answer.text : JSON.stringify(answer), {
      status,
      headers,
    });
  }
  if (!isHead) return new Response(streamedBody(answer), { status, headers });
  await answer.release();
  answer.close();
  return new Response(null, { status, headers });
}

const exposedHeaders = "Retry-After, RateLimit, RateLimit-Policy";
const preflightLifetimeInSeconds = "7200";

/** On every reply of a public route, refusals too: a page must be able to read the 409 and the 429 (decision D44). */
export function addCors(headers: Record<string, string>, origin: string | undefined): void {
  headers["Vary"] = "Origin";
  if (origin === undefined) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = exposedHeaders;
}

/** A preflight carries no key, which may be in the body: so any origin may ask, and the request itself is checked. */
export function preflightReply(origin: string | undefined, methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Origin": origin ?? "*",
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": "content-type",
      "Access-Control-Max-Age": preflightLifetimeInSeconds,
      "Cache-Control": "no-store",
      "Vary": "Origin",
    },
  });
}
