import { type Hono } from "hono";
import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { admit } from "./admit.ts";
import { replyHeaders, successResponse } from "./answer.ts";
import { addCors, preflightResponse } from "./cors.ts";
import { type FoundKey } from "./domain/project-directory.ts";
import { newRecordId } from "./domain/record-id.ts";
import { Refusal } from "./domain/refusal.ts";
import { type AuditEntry, type RequestEvent, type StoredKind } from "./events.ts";
import { Exchange, type NodeBindings, type ServerContext } from "./exchange.ts";
import { Quotas, type Gate } from "./gate.ts";
import { type Handler, type Handlers } from "./handlers.ts";
import { type Passage } from "./load-guard.ts";
import { problemResponse } from "./problem-response.ts";
import { refusalOf } from "./refuse.ts";

export type ServerApp = Hono<{ Bindings: NodeBindings }>;

/** The event of a request, filled in while it is answered. */
function traceOf(gate: Gate, method: string, route?: string): RequestEvent {
  const requestId = newRecordId(gate.service.clock.now());
  return { kind: "request", requestId, method, ...(route && { route }), status: 0, durationInMs: 0 };
}

function finished(gate: Gate, trace: RequestEvent, response: Response, durationInMs: number): void {
  trace.status = response.status;
  trace.durationInMs = durationInMs;
  gate.events.emit(trace);
}

function auditOf(gate: Gate, trace: RequestEvent, { project, key }: FoundKey) {
  return (entry: AuditEntry) => {
    const who = { requestId: trace.requestId, projectId: project.id, keyId: key.id };
    gate.events.emit({ kind: "audit", ...who, ...entry });
  };
}

/** Turns whatever went wrong into a problem document, and never tells a page of a refused origin more than 403. */
function refuse(gate: Gate, error: unknown, trace: RequestEvent, headers: Record<string, string>): Response {
  const { problem, headers: own } = refusalOf(error, trace.requestId);
  if (problem.code === "internal_error")
    gate.events.emit({ kind: "failure", requestId: trace.requestId, error });
  trace.code = problem.code;
  const all: Record<string, string> = { ...replyHeaders, ...headers, ...own };
  if (problem.code === "origin_not_allowed") delete all["Access-Control-Allow-Origin"];
  return problemResponse(problem, all);
}

/** The table's extra header of one alias: its address holds the respondent's id (decision D62). */
const ownHeaders: Partial<Record<EndpointKey, Record<string, string>>> = {
  "GET /v1/definitions": { "Referrer-Policy": "no-referrer" },
};

/** Match, authorise, parse, handle, answer: one endpoint of the table as a route. */
function route<K extends EndpointKey>(gate: Gate, key: K, handle: Handler<K>) {
  const endpoint: Endpoint = endpoints[key];
  const known = new Set(Object.keys((endpoint.query as { shape?: object }).shape ?? {}));
  const isKnown = (name: string) => known.has(name);
  const { path } = methodAndPath(key);
  const isPublic = endpoint.auth === "publishable";
  const always: Record<string, string> = { ...replyHeaders, ...ownHeaders[key] };
  return async (context: ServerContext): Promise<Response> => {
    const startedAt = gate.stopwatch();
    const exchange = new Exchange(context);
    const { method } = exchange.request;
    const trace = traceOf(gate, method, path);
    const quotas = new Quotas(gate, exchange);
    const headers = () => {
      const fields: Record<string, string> = { ...always };
      quotas.addTo(fields);
      if (isPublic) addCors(fields, exchange.header("origin"));
      if (gate.load.isDraining) fields["Connection"] = "close";
      return fields;
    };
    let response: Response;
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
      const reply = await handle(call as Parameters<typeof handle>[0]);
      response = await successResponse(reply, endpoint.status, headers(), method === "HEAD");
    } catch (error) {
      response = refuse(gate, error, trace, headers());
    } finally {
      passage?.leave();
    }
    finished(gate, trace, response, gate.stopwatch() - startedAt);
    return response;
  };
}

function methodsOf(path: string): string[] {
  const methods = Object.keys(endpoints)
    .map(methodAndPath)
    .filter((one) => one.path === path)
    .map((one) => one.method);
  return methods.includes("GET") ? [...methods, "HEAD"] : methods;
}

/** A known path with another method: 405 with the methods it takes; a preflight on public paths (D44 to D46). */
function otherMethods(gate: Gate, path: string, endpoint: Endpoint) {
  const isPublic = endpoint.auth === "publishable";
  const methods = methodsOf(path);
  const allow = (isPublic ? [...methods, "OPTIONS"] : methods).join(", ");
  return (context: ServerContext): Response => {
    const exchange = new Exchange(context);
    const { method } = exchange.request;
    if (isPublic && method === "OPTIONS") return preflightResponse(exchange.header("origin"), methods);
    const refusal = new Refusal("method_not_allowed", { detail: `Use ${methods.join(" or ")}.` });
    const headers: Record<string, string> = { Allow: allow };
    if (isPublic) addCors(headers, exchange.header("origin"));
    return refuseUnmatched(gate, refusal, traceOf(gate, method, path), headers);
  };
}

/** The same for paths outside the table, which are only read: the description, its pages and the health checks. */
function refuseOtherThanGet(gate: Gate, { method, path }: { method: string; path: string }): Response {
  const refusal = new Refusal("method_not_allowed", { detail: "Use GET." });
  return refuseUnmatched(gate, refusal, traceOf(gate, method, path), { Allow: "GET, HEAD" });
}

function refuseUnmatched(
  gate: Gate,
  refusal: Refusal,
  trace: RequestEvent,
  headers: Record<string, string> = {},
): Response {
  const response = refuse(gate, refusal, trace, headers);
  finished(gate, trace, response, 0);
  return response;
}

/** Puts every endpoint of the table onto the app; the only place that knows both hono and the table. */
export function mount(app: ServerApp, gate: Gate, handlers: Handlers): void {
  const byPath = new Map<string, (context: ServerContext) => Response>();
  for (const key of Object.keys(endpoints) as EndpointKey[]) {
    const { method, path } = methodAndPath(key);
    app.on(method, path, route(gate, key, handlers[key] as Handler<typeof key>));
    byPath.set(path, otherMethods(gate, path, endpoints[key]));
  }
  // Not as a route beside the others: a path with two handlers is answered by way of hono's middleware, which costs.
  app.notFound((context) => {
    const otherMethod = byPath.get(context.req.path);
    if (otherMethod) return otherMethod(context);
    if (app.routes.some(({ path }) => path === context.req.path))
      return refuseOtherThanGet(gate, context.req);
    const refusal = new Refusal("route_not_found", {
      detail: "Paths are matched exactly; see /openapi.yaml.",
    });
    return refuseUnmatched(gate, refusal, traceOf(gate, context.req.method));
  });
  app.onError((error) => refuse(gate, error, traceOf(gate, ""), {}));
}
