import { Readable } from "node:stream";
import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { allowedHeaders } from "@afterword/protocol/allowed-headers";
import { type StoredKind } from "../events.ts";
import { admit } from "./admission.ts";
import { type Handler } from "./handlers.ts";
import { problemReply } from "./problem.ts";
import { RequestContext, type HonoContext, type Permit, type RequestServices } from "./request-context.ts";

/** On every reply except the OpenAPI document. */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

/** Longest time for which a client may take a streamed reply, which occupies disk space. */
const longestStreamInMs = 60 * 60_000;

/** The body of a reply. A stream that takes too long is cut, because a truncated document must not look complete. */
function replyBody(answer: object | string, isHead: boolean): string | ReadableStream | null {
  if (!(answer instanceof Readable)) return typeof answer === "string" ? answer : JSON.stringify(answer);
  if (isHead) {
    answer.destroy();
    return null;
  }
  const tooLate = () => answer.destroy(new Error("The client took more than an hour."));
  // The client may have gone already, and "close" does not come again.
  if (!answer.destroyed) {
    const limit = setTimeout(tooLate, longestStreamInMs).unref();
    answer.once("close", () => clearTimeout(limit));
  }
  return Readable.toWeb(answer) as ReadableStream;
}

const exposedHeaders = "Retry-After, RateLimit, RateLimit-Policy";
const preflightLifetimeInSeconds = "7200";

/** On every reply of a public route, including refusals: a page must be able to read a 409 or 429. */
export function addCors(headers: Record<string, string>, origin: string | undefined): void {
  headers["Vary"] = "Origin";
  if (origin === undefined) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = exposedHeaders;
}

/** A preflight carries no key, so any origin passes; the request itself is checked (D44). */
export function preflightReply(context: RequestContext, methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Origin": context.header("origin") ?? "*",
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": allowedHeaders(context.header("access-control-request-headers")),
      "Access-Control-Max-Age": preflightLifetimeInSeconds,
      "Cache-Control": "no-store",
      "Vary": "Origin, Access-Control-Request-Headers",
    },
  });
}

/** The alias's URL contains the respondent's id. */
const ownHeaders: Partial<Record<EndpointKey, Record<string, string>>> = {
  "GET /v1/definitions": { "Referrer-Policy": "no-referrer" },
};

/** An endpoint as a function that admits, handles and replies. Never rejects. */
export function answerTo<K extends EndpointKey>(key: K, handle: Handler<K>, services: RequestServices) {
  const endpoint: Endpoint = endpoints[key];
  const { path } = methodAndPath(key);
  const isPublic = endpoint.auth === "publishable";
  const headersOf = (context: RequestContext) => {
    const headers = { ...replyHeaders, ...ownHeaders[key], ...context.limitFields };
    if (isPublic) addCors(headers, context.header("origin"));
    return headers;
  };
  return async (hono: HonoContext): Promise<Response> => {
    const context = new RequestContext(services, hono, path);
    const { event } = context;
    let reply: Response;
    let permit: Permit | undefined;
    try {
      permit = services.permit?.();
      // Secret routes have their own limits; privacy routes have none.
      if (isPublic) context.take("address");
      const { found, query, body } = await admit(context, endpoint, permit);
      const { service, hooks = {} } = services;
      const { project } = found;
      const signal = () => context.request.signal;
      const isHead = event.method === "HEAD";
      const requester = { requestId: event.requestId, keyId: found.key.id };
      const stored = (kind: StoredKind) => void (event.stored = kind);
      const call = { service, project, isHead, query, body, signal, requester, hooks, stored };
      const answer = await handle(call as Parameters<typeof handle>[0]);
      const headers = { ...headersOf(context), "Content-Type": jsonType };
      reply = new Response(replyBody(answer, isHead), { status: endpoint.status, headers });
    } catch (error) {
      reply = problemReply(context, error, headersOf(context));
    } finally {
      permit?.leave();
    }
    context.finish(reply.status);
    return reply;
  };
}
