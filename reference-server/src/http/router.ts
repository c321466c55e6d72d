import { type Hono } from "hono";
import { endpoints, methodAndPath, type EndpointKey } from "@afterword/protocol";
import { Refusal } from "../domain/refusal.ts";
import { answerTo, addCors, preflightReply, replyHeaders } from "./answer-request.ts";
import { type Handler, type Handlers } from "./handlers.ts";
import { problemReply } from "./problem.ts";
import {
  RequestContext,
  type HonoContext,
  type NodeBindings,
  type RequestServices,
} from "./request-context.ts";

export type ServerApp = Hono<{ Bindings: NodeBindings }>;

interface KnownPath {
  methods: string[];
  isPublic: boolean;
}

/** A known path with another method: 405 with the allowed ones, or a preflight on public paths (D44 to D46). */
function otherMethod(context: RequestContext, { methods, isPublic }: KnownPath): Response {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (isPublic && context.event.method === "OPTIONS") return preflightReply(context, allowed);
  const refusal = new Refusal("method_not_allowed", { detail: `Use ${allowed.join(" or ")}.` });
  const headers: Record<string, string> = {
    ...replyHeaders,
    Allow: (isPublic ? [...allowed, "OPTIONS"] : allowed).join(", "),
  };
  if (isPublic) addCors(headers, context.header("origin"));
  return finished(context, problemReply(context, refusal, headers));
}

function finished(context: RequestContext, reply: Response): Response {
  context.finish(reply.status);
  return reply;
}

/** Mounts all endpoints, and problem documents for everything else. */
export function mount(app: ServerApp, services: RequestServices, handlers: Handlers): void {
  const knownPaths = new Map<string, KnownPath>();
  for (const key of Object.keys(endpoints) as EndpointKey[]) {
    const { method, path } = methodAndPath(key);
    const known = knownPaths.get(path) ?? { methods: [], isPublic: endpoints[key].auth === "publishable" };
    known.methods.push(method);
    knownPaths.set(path, known);
    app.on(method, path, answerTo(key, handlers[key] as Handler<typeof key>, services));
  }
  const unmatched = (hono: HonoContext): Response => {
    const { path } = hono.req;
    const known = knownPaths.get(path);
    if (known) return otherMethod(new RequestContext(services, hono, path), known);
    // Paths outside the table support only GET: the OpenAPI document, its pages and the health checks.
    const isRead = app.routes.some((route) => route.path === path);
    const context = new RequestContext(services, hono, isRead ? path : undefined);
    const refusal = isRead
      ? new Refusal("method_not_allowed", { detail: "Use GET." })
      : new Refusal("route_not_found", { detail: "Paths are matched exactly; see /openapi.yaml." });
    return finished(
      context,
      problemReply(context, refusal, { ...replyHeaders, ...(isRead && { Allow: "GET, HEAD" }) }),
    );
  };
  // Not as a catch-all route: a path with two handlers goes through hono's middleware, which is slower.
  app.notFound(unmatched);
  app.onError((error, hono) => problemReply(new RequestContext(services, hono), error, replyHeaders));
}
