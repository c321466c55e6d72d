import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { admit } from "./admit.ts";
import { addCors } from "./cors.ts";
import { type RequestEvent, type StoredKind } from "../operations/events.ts";
import { type Exchange } from "./exchange.ts";
import { Quotas, type Gate } from "./gate.ts";
import { type Handler } from "./handlers.ts";
import { type Passage } from "../limits/load-guard.ts";
import { problemReply } from "./problem-reply.ts";
import { refusalOf } from "./refuse.ts";
import { replyHeaders, successReply, type Reply } from "./reply.ts";
import { auditOf, finished, traceOf } from "./trace.ts";

/** One endpoint of the table: never rejects, whatever the request or the handler does. */
export type Answer = (exchange: Exchange) => Promise<Reply>;

/** Turns whatever went wrong into a problem document, and never tells a page of a refused origin more than 403. */
export function refuse(
  gate: Gate,
  error: unknown,
  trace: RequestEvent,
  headers: Record<string, string>,
): Reply {
  const { problem, headers: own } = refusalOf(error, trace.requestId);
  if (problem.code === "internal_error")
    gate.events.emit({ kind: "failure", requestId: trace.requestId, error });
  trace.code = problem.code;
  const all: Record<string, string> = { ...replyHeaders, ...headers, ...own };
  if (problem.code === "origin_not_allowed") delete all["Access-Control-Allow-Origin"];
  return problemReply(problem, all);
}

/** The table's extra header of one alias: its address holds the respondent's id (decision D62). */
const ownHeaders: Partial<Record<EndpointKey, Record<string, string>>> = {
  "GET /v1/definitions": { "Referrer-Policy": "no-referrer" },
};

/** Authorise, parse, handle, answer: an endpoint as a function from request to reply. */
export function answering<K extends EndpointKey>(gate: Gate, key: K, handle: Handler<K>): Answer {
  const endpoint: Endpoint = endpoints[key];
  const known = new Set(Object.keys((endpoint.query as { shape?: object }).shape ?? {}));
  const isKnown = (name: string) => known.has(name);
  const { path } = methodAndPath(key);
  const isPublic = endpoint.auth === "publishable";
  const always: Record<string, string> = { ...replyHeaders, ...ownHeaders[key] };
  return async (exchange) => {
    const startedAt = gate.stopwatch();
    const { method } = exchange;
    const trace = traceOf(gate, method, path);
    const quotas = new Quotas(gate, exchange);
    const headers = () => {
      const fields: Record<string, string> = { ...always };
      quotas.addTo(fields);
      if (isPublic) addCors(fields, exchange.header("origin"));
      if (gate.load.isDraining) fields["Connection"] = "close";
      return fields;
    };
    let reply: Reply;
    let passage: Passage | undefined;
    try {
      passage = gate.load.enter();
      // Servers have limits of their own, and people's rights none (decisions D41 and D42).
      if (isPublic) quotas.takeForAddress();
      const admission = { gate, exchange, endpoint, quotas, isKnown, trace, passage };
      const { found, query, body } = await admit(admission);
      trace.projectId = found.project.id;
      trace.keyId = found.key.id;
      const audit = auditOf(gate, trace, found);
      const stored = (kind: StoredKind) => void (trace.stored = kind);
      const call = { service: gate.service, project: found.project, query, body, audit, stored };
      const answer = await handle(call as Parameters<typeof handle>[0]);
      reply = await successReply(answer, endpoint.status, headers(), method === "HEAD");
    } catch (error) {
      reply = refuse(gate, error, trace, headers());
    } finally {
      passage?.leave();
    }
    finished(gate, trace, reply.status, gate.stopwatch() - startedAt);
    return reply;
  };
}
