import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { type Permit } from "../limits/load.ts";
import { type StoredKind } from "../operations/events.ts";
import { admit } from "./admission.ts";
import { type Handler } from "./handlers.ts";
import { problemReply } from "./problem.ts";
import { addCors, replyHeaders, successReply } from "./reply.ts";
import { RequestContext, type HonoContext, type RequestServices } from "./request-context.ts";

/** The table's extra header of one alias: its address holds the respondent's id (decision D62). */
const ownHeaders: Partial<Record<EndpointKey, Record<string, string>>> = {
  "GET /v1/definitions": { "Referrer-Policy": "no-referrer" },
};

/** Admit, handle, reply: an endpoint as a function that never rejects. */
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
      // Servers have limits of their own, and people's rights none (decisions D41 and D42).
      if (isPublic) context.quotas.takeForAddress();
      const { found, query, body } = await admit(context, endpoint, permit);
      event.projectId = found.project.id;
      event.keyId = found.key.id;
      const stored = (kind: StoredKind) => void (event.stored = kind);
      const audit = context.audit.bind(context, found);
      const { service } = services;
      const { signal } = context.request;
      const call = { service, project: found.project, query, body, signal, audit, stored };
      const answer = await handle(call as Parameters<typeof handle>[0]);
      reply = await successReply(answer, endpoint.status, headersOf(context), event.method === "HEAD");
    } catch (error) {
      reply = problemReply(context, error, headersOf(context));
    } finally {
      permit?.leave();
    }
    context.finish(reply.status);
    return reply;
  };
}
