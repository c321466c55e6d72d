import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { type Permit } from "../limits/load.ts";
import { type StoredKind } from "../log/events.ts";
import { admit } from "./admission.ts";
import { JsonText, type Handler, type StreamedReply } from "./handlers.ts";
import { problemReply } from "./problem.ts";
import { RequestContext, type HonoContext, type RequestServices } from "./request-context.ts";
import { streamedBody } from "./streamed-body.ts";

/** On every reply except the OpenAPI document (decision D64). */
export const replyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const jsonType = "application/json; charset=utf-8";

function isStreamed(answer: object): answer is StreamedReply {
  return "chunks" in answer;
}

/** Turns a handler's answer into a reply. A HEAD request gets only the headers. */
async function successReply(
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

/** On every reply of a public route, including refusals: a page must be able to read a 409 or 429 (decision D44). */
export function addCors(headers: Record<string, string>, origin: string | undefined): void {
  headers["Vary"] = "Origin";
  if (origin === undefined) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = exposedHeaders;
}

/** A preflight carries no key, so any origin passes; the request itself is checked. */
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

/** The alias's URL contains the respondent's id (decision D62). */
const ownHeaders: Partial<Record<EndpointKey, Record<string, string>>> = {
  "GET /v1/definitions": { "Referrer-Policy": "no-referrer" },
};

/** An endpoint as a function that admits, handles and replies. Never rejects. */
export function answerTo<K extends EndpointKey>(key: K, handle: Handler<K>, services: RequestServices) {
  const endpoint: Endpoint = endpoints[key];
  const { path } = methodAndPath(key);
  const isPublic = endpoint.auth === "publishable";
  const headersOf = (context: RequestContext) => {
    const headers: Record<string, string> = { ...replyHeaders, ...ownHeaders[key] };
    context.quotas.addTo(headers);
    if (isPublic) addCors(headers, context.header("origin"));
    return headers;
  };
  return async (hono: HonoContext): Promise<Response> => {
    const context = new RequestContext(services, hono, path);
    const { event } = context;
    let reply: Response;
    let permit: Permit | undefined;
    try {
      permit = services.load.permit();
      // Secret routes have their own limits; privacy routes have none (decisions D41 and D42).
      if (isPublic) context.quotas.takeForAddress();
      const { found, query, body } = await admit(context, endpoint, permit);
      event.projectId = found.project.id;
      event.keyId = found.key.id;
      const stored = (kind: StoredKind) => void (event.stored = kind);
      const { service } = services;
      const signal = () => context.request.signal;
      const audit = () => context.auditOf(found);
      const isHead = event.method === "HEAD";
      const call = { service, project: found.project, isHead, query, body, signal, audit, stored };
      const answer = await handle(call as Parameters<typeof handle>[0]);
      reply = await successReply(answer, endpoint.status, headersOf(context), isHead);
    } catch (error) {
      reply = problemReply(context, error, headersOf(context));
    } finally {
      permit?.leave();
    }
    context.finish(reply.status);
    return reply;
  };
}
