import { Hono } from "hono";
import { replyHeaders } from "./answer.ts";
import { docsRoutes } from "./docs-page.ts";
import { noEvents, type ServerEvents } from "./events.ts";
import { rawPath, type NodeBindings } from "./exchange.ts";
import { type Gate } from "./gate.ts";
import { LoadGuard } from "./load-guard.ts";
import { mount, type ServerApp } from "./mount.ts";
import { healthReply, readinessReply } from "./operations/health.ts";
import { openApiFile } from "./openapi-file.ts";
import { openService, type ServiceOptions, type StartedProject } from "./open-service.ts";
import { MemoryRateLimiter, policiesOf, type RateLimiter } from "./rate-limit.ts";
import { handlers } from "./routes/all-handlers.ts";
import { type Service } from "./domain/service.ts";

export interface AppOptions extends ServiceOptions {
  /** Default: one in memory. */
  limiter?: RateLimiter;
  /** Where logs and metrics listen. Default: nobody does. */
  events?: ServerEvents;
  /** Refuses with 503 what is too much. Default: 1,000 requests and 64 MiB of bodies in flight. */
  load?: LoadGuard;
  /** Milliseconds of a clock that only goes forward, for durations. */
  stopwatch?: () => number;
}

/** The server without a port: `app.request("/v1/…")` answers. */
export interface Application {
  app: ServerApp;
  service: Service;
  projects: StartedProject[];
}

function descriptionRoute(app: ServerApp): void {
  app.get("/openapi.yaml", () => {
    const { "Cache-Control": _, ...headers } = replyHeaders;
    return new Response(openApiFile(), {
      headers: { ...headers, "Content-Type": "application/yaml", "Access-Control-Allow-Origin": "*" },
    });
  });
}

/** For load balancers: not logged and not limited, and they tell nothing about anybody. */
function healthRoutes(app: ServerApp, { service, trustedProxies }: Gate): void {
  app.get("/healthz", healthReply);
  app.get("/readyz", ({ req }) =>
    readinessReply(service, req.raw.headers.get("x-forwarded-for"), trustedProxies),
  );
}

/** Opens the service on a store and puts its routes together; nothing listens yet. */
export async function createApp(options: AppOptions): Promise<Application> {
  const { service, projects } = await openService(options);
  const gate: Gate = {
    service,
    limiter: options.limiter ?? new MemoryRateLimiter(),
    policies: policiesOf(options.config.rateLimits),
    trustedProxies: options.config.trustedProxies ?? 0,
    events: options.events ?? noEvents,
    stopwatch: options.stopwatch ?? (() => performance.now()),
    load: options.load ?? new LoadGuard(),
  };
  const app: ServerApp = new Hono<{ Bindings: NodeBindings }>({ getPath: rawPath });
  descriptionRoute(app);
  docsRoutes(app);
  healthRoutes(app, gate);
  mount(app, gate, handlers);
  return { app, service, projects };
}
