import { type Hono } from "hono";
import { endpoints, methodAndPath, type Endpoint, type EndpointKey } from "@afterword/protocol";
import { answering, refuse, type Answer } from "./answer-request.ts";
import { addCors, preflightReply } from "./cors.ts";
import { Refusal } from "../domain/refusal.ts";
import { type RequestEvent } from "../operations/events.ts";
import { Exchange, type NodeBindings, type ServerContext } from "./exchange.ts";
import { type Gate } from "./gate.ts";
import { type Handler, type Handlers } from "./handlers.ts";
import { toResponse, type Reply } from "./reply.ts";
import { finished, traceOf } from "./trace.ts";

export type ServerApp = Hono<{ Bindings: NodeBindings }>;

/** Every endpoint of the table, by its path and then by its method. */
export type Answers = ReadonlyMap<string, ReadonlyMap<string, Answer>>;

/** The table with the handlers behind it. */
export function answersOf(gate: Gate, handlers: Handlers): Answers {
  const answers = new Map<string, Map<string, Answer>>();
  for (const key of Object.keys(endpoints) as EndpointKey[]) {
    const { method, path } = methodAndPath(key);
    const ofPath = answers.get(path) ?? new Map<string, Answer>();
    answers.set(path, ofPath.set(method, answering(gate, key, handlers[key] as Handler<typeof key>)));
  }
  return answers;
}

function refuseUnmatched(
  gate: Gate,
  refusal: Refusal,
  trace: RequestEvent,
  headers: Record<string, string> = {},
): Reply {
  const reply = refuse(gate, refusal, trace, headers);
  finished(gate, trace, reply.status, 0);
  return reply;
}

const publicPaths = new Set(
  Object.entries<Endpoint>(endpoints)
    .filter(([, { auth }]) => auth === "publishable")
    .map(([key]) => methodAndPath(key as EndpointKey).path),
);

/** A known path with another method: 405 with the methods it takes; a preflight on public paths (D44 to D46). */
function otherMethod(gate: Gate, path: string, known: Iterable<string>, exchange: Exchange): Reply {
  const isPublic = publicPaths.has(path);
  const methods = [...known].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const origin = exchange.header("origin");
  const { method } = exchange;
  if (isPublic && method === "OPTIONS") return preflightReply(origin, methods);
  const refusal = new Refusal("method_not_allowed", { detail: `Use ${methods.join(" or ")}.` });
  const headers: Record<string, string> = {
    Allow: (isPublic ? [...methods, "OPTIONS"] : methods).join(", "),
  };
  if (isPublic) addCors(headers, origin);
  return refuseUnmatched(gate, refusal, traceOf(gate, method, path), headers);
}

/** The same for paths outside the table, which are only read: the description, its pages and the health checks. */
function refuseOtherThanGet(gate: Gate, { method, path }: { method: string; path: string }): Reply {
  const refusal = new Refusal("method_not_allowed", { detail: "Use GET." });
  return refuseUnmatched(gate, refusal, traceOf(gate, method, path), { Allow: "GET, HEAD" });
}

/** Puts every endpoint of the table onto the app. */
export function mount(app: ServerApp, gate: Gate, answers: Answers): void {
  for (const [path, methods] of answers) {
    for (const [method, answer] of methods)
      app.on(method, path, async (context) => toResponse(await answer(Exchange.of(context))));
  }
  const unmatched = (context: ServerContext): Reply => {
    const { path, method } = context.req;
    const methods = answers.get(path)?.keys();
    if (methods) return otherMethod(gate, path, methods, Exchange.of(context));
    if (app.routes.some((route) => route.path === path)) return refuseOtherThanGet(gate, { method, path });
    const detail = "Paths are matched exactly; see /openapi.yaml.";
    return refuseUnmatched(gate, new Refusal("route_not_found", { detail }), traceOf(gate, method));
  };
  // Not as a route beside the others: a path with two handlers is answered by way of hono's middleware, which costs.
  app.notFound((context) => toResponse(unmatched(context)));
  app.onError((error) => toResponse(refuse(gate, error, traceOf(gate, ""), {})));
}
