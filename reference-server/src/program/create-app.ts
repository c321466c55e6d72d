import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { type ServerConfig } from "../config/server-config.ts";
import { systemClock } from "../domain/clock.ts";
import { docsRoutes } from "../http/docs-page.ts";
import { allOf, noEvents, type ServerEvents } from "../operations/events.ts";
import { rawPath, type NodeBindings } from "../http/exchange.ts";
import { type Gate } from "../http/gate.ts";
import { LoadGuard } from "../limits/load-guard.ts";
import { answersOf, mount, type Answers, type ServerApp } from "../http/mount.ts";
import { healthReply, Readiness } from "../operations/health.ts";
import { openApiFile } from "../http/openapi-file.ts";
import { openService, type ServiceOptions, type StartedProject } from "./open-service.ts";
import { MemoryRateLimiter, policiesOf, type RateLimiter } from "../limits/rate-limit.ts";
import { parseConfig } from "../config/parse-config.ts";
import { handlers } from "../routes/all-handlers.ts";
import { type Service } from "../domain/service.ts";
import { replyHeaders } from "../http/reply.ts";
import { openStore } from "../store/open-store.ts";

export interface AppOptions extends Partial<ServiceOptions> {
  /** Default: one in memory. */
  limiter?: RateLimiter;
  /** Where logs and metrics listen. Default: nobody does. */
  events?: ServerEvents;
  /** Refuses with 503 what is too much. Default: 1,000 requests and 64 MiB of bodies in flight. */
  load?: LoadGuard;
  /** Milliseconds of a clock that only goes forward, for durations. */
  stopwatch?: () => number;
}

/** The server without a port: `application.app.request("/v1/…")` answers. */
export interface Application extends AsyncDisposable {
  app: ServerApp;
  service: Service;
  projects: StartedProject[];
  /** Closes the database. */
  close(): Promise<void>;
}

/** What everything secret is derived from while nobody has to find the data again. */
const passingKey = () => randomBytes(32);

/** Decision D43. */
const untrustedProxy =
  "A proxy sends X-Forwarded-For and trustedProxies is 0: all of its clients share one rate limit. Set trustedProxies to the number of your proxies.";

/** Something that is worth a line the first time it happens, and no more. */
function warnOnce(events: ServerEvents, message: string): () => void {
  let isTold = false;
  return () => {
    if (isTold) return;
    isTold = true;
    events.emit({ kind: "warning", message });
  };
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
function healthRoutes(app: ServerApp, gate: Gate): void {
  const readiness = new Readiness(gate);
  app.get("/healthz", healthReply);
  app.get("/readyz", ({ req }) =>
    readiness.reply(req.raw.headers.get("x-forwarded-for"), gate.trustedProxies),
  );
}

/** On a database of its own where none is given, which is not left behind when it cannot be used. */
async function openedService(options: AppOptions, config: ServerConfig) {
  const { clock = systemClock, masterKey = passingKey() } = options;
  const store = options.store ?? (await openStore(":memory:"));
  try {
    return { store, ...(await openService({ ...options, store, config, clock, masterKey })) };
  } catch (error) {
    if (!options.store) await store.close();
    throw error;
  }
}

/** An application with the table behind it, which a server answers from without a detour. */
interface Assembled {
  application: Application;
  answers: Answers;
}

/** @throws InvalidConfig with every mistake */
export async function assemble(options: AppOptions): Promise<Assembled> {
  const config = parseConfig(options.config === undefined ? { projects: [] } : options.config);
  const { store, service, projects } = await openedService(options, config);
  const events = options.events ?? noEvents;
  const gate: Gate = {
    service,
    limiter: options.limiter ?? new MemoryRateLimiter(),
    policies: policiesOf(config.rateLimits),
    trustedProxies: config.trustedProxies ?? 0,
    onUntrustedProxy: warnOnce(events, untrustedProxy),
    events,
    stopwatch: options.stopwatch ?? (() => performance.now()),
    load: options.load ?? new LoadGuard(),
  };
  const app: ServerApp = new Hono<{ Bindings: NodeBindings }>({ getPath: rawPath });
  const answers = answersOf(gate, handlers);
  descriptionRoute(app);
  docsRoutes(app);
  healthRoutes(app, gate);
  mount(app, gate, answers);
  const close = () => store.close();
  const application = { app, service, projects, close, [Symbol.asyncDispose]: close };
  return { application, answers };
}

/**
 * Opens the service and puts its routes together; nothing listens. By default on a database that is gone when it is
 * closed, with a key of its own and the system's clock. @throws InvalidConfig with every mistake
 */
export async function createApp(options: AppOptions = {}): Promise<Application> {
  const events = allOf(options.events ? [options.events] : []);
  return (await assemble({ ...options, events })).application;
}
