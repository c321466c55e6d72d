import { endpoints, openApiDocument } from "@afterword/protocol";
import { Hono } from "hono";
import { stringify } from "yaml";
import { type ServerConfig } from "./config/server-config.ts";
import { systemClock } from "./domain/clock.ts";
import { MasterKey, MasterKeys } from "./domain/master-keys.ts";
import { replyHeaders } from "./http/answer-request.ts";
import { allOf } from "./events.ts";
import { rawPath, type NodeBindings, type RequestOptions } from "./http/request-context.ts";
import { mount, type ServerApp } from "./http/router.ts";
import { openService, type ServiceOptions, type StartedProject } from "./open-service.ts";
import { policiesOf, RateLimiter } from "./limits/rate-limit.ts";
import { parseConfig } from "./config/parse-config.ts";
import { handlers } from "./endpoints/all-handlers.ts";
import { seedResponses, type SeedResponse } from "./administration/seed-responses.ts";
import { type Service } from "./domain/service.ts";
import { openStore } from "./store/open-store.ts";

/** What `createApp` takes; each option has a default. */
export interface AppOptions extends Partial<Omit<ServiceOptions, "masterKeys">>, RequestOptions {
  /** 32 bytes from which other keys derive. Default: random, for a database in memory. */
  masterKey?: Uint8Array | undefined;
  /** In place of `masterKey`. */
  masterKeys?: MasterKeys | undefined;
  /** Answers `/readyz`. Default: says whether the database answers. */
  readiness?: ((service: Service, request: Request) => Promise<Response>) | undefined;
}

/** The server without a port: `application.app.request("/v1/…")` answers. */
export interface Application extends AsyncDisposable {
  app: ServerApp;
  service: Service;
  projects: StartedProject[];
  /**
   * Stores answers for tests in one call, as if people had given them: `seed("shop", [{ rating: 5 }, { rating: 2 }])`.
   * @returns their ids, in the order given
   */
  seed(projectId: string, responses: readonly SeedResponse[]): Promise<string[]>;
  /** Closes the database, unless `createApp` was given an open one: who opens it closes it. */
  close(): Promise<void>;
}

async function readyReply({ store }: Service): Promise<Response> {
  const reply = (status: string, code: number) =>
    Response.json({ status }, { status: code, headers: replyHeaders });
  return store.ping().then(
    () => reply("ready", 200),
    () => reply("unavailable", 503),
  );
}

let openApiFile: string | undefined;

/** Generates the OpenAPI document from the table of endpoints, once per process. */
function openApiReply(): Response {
  openApiFile ??= stringify(openApiDocument(endpoints), { aliasDuplicateObjects: false });
  const type = { "Content-Type": "application/yaml", "X-Content-Type-Options": "nosniff" };
  return new Response(openApiFile, { headers: { ...type, "Access-Control-Allow-Origin": "*" } });
}

/** Opens the service, by default on its own database, which is closed if that fails. */
async function openedService(options: AppOptions, config: ServerConfig) {
  const { clock = systemClock, masterKey } = options;
  const key = masterKey ? new MasterKey(masterKey) : MasterKey.random();
  const store = options.store ?? (await openStore(":memory:"));
  try {
    const masterKeys = options.masterKeys ?? (await MasterKeys.open(store, async () => [key], clock));
    return { store, ...(await openService({ ...options, store, config, clock, masterKeys })) };
  } catch (error) {
    if (!options.store) await store.close();
    throw error;
  }
}

/**
 * Opens the service and mounts its routes, without listening. Defaults: an in-memory database, a random key and the
 * system's clock. @throws InvalidConfig with all mistakes
 * @example
 * const { app } = await createApp();
 * const reply = await app.fetch(new Request("http://localhost/openapi.yaml"));
 */
export async function createApp(options: AppOptions = {}): Promise<Application> {
  const config = parseConfig(options.config === undefined ? { projects: [] } : options.config);
  const { store, service, projects } = await openedService(options, config);
  const { hooks, permit, allowLoopbackOrigins } = options;
  const requestServices = {
    service,
    hooks,
    permit,
    allowLoopbackOrigins,
    events: allOf(options.events),
    limiter: new RateLimiter(),
    policies: policiesOf(config.rateLimits, config.nodes),
    trustedProxies: config.trustedProxies ?? 0,
  };
  const app: ServerApp = new Hono<{ Bindings: NodeBindings }>({ getPath: rawPath });
  app.get("/openapi.yaml", openApiReply);
  // For load balancers: not logged, not limited, and without personal data.
  app.get("/healthz", () => Response.json({ status: "ok" }, { headers: replyHeaders }));
  app.get("/readyz", ({ req }) => (options.readiness ?? readyReply)(service, req.raw));
  mount(app, requestServices, handlers);
  const close = async () => (options.store ? undefined : store.close());
  const seed: Application["seed"] = (projectId, responses) => seedResponses(service, projectId, responses);
  return { app, service, projects, seed, close, [Symbol.asyncDispose]: close };
}
