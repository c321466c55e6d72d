import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type OpenPort, startListening } from "@afterword/command-line/start-listening";
import { defaultTimeouts } from "@afterword/reference-server/internal";
import { type ServerEvents } from "../audit/audit-trail.ts";
import { healthReply, readinessOf } from "../health/readiness.ts";
import { type Metrics } from "../metrics/metrics.ts";
import { addServiceGauges, type Measured } from "../metrics/service-gauges.ts";
import { type AdminAddress } from "./start-options.ts";

const flags = { host: "--admin-host", port: "--admin-port" };

async function metricsReply(metrics: Metrics): Promise<Response> {
  try {
    return new Response(await metrics.text(), { headers: { "Content-Type": metrics.registry.contentType } });
  } catch {
    return new Response("The database does not answer.\n", { status: 503 });
  }
}

const isLoopback = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.");

/** A separate listener for operators; metrics are never on the public port. */
export async function startAdminListener(
  { host = "127.0.0.1", port }: AdminAddress,
  metrics: Metrics,
  measured: Measured,
  events: ServerEvents,
): Promise<OpenPort> {
  if (!isLoopback(host)) {
    const message = `Anyone who reaches ${host} can read the metrics: keep that network private.`;
    events.emit({ kind: "warning", message });
  }
  addServiceGauges(metrics, measured);
  const readiness = readinessOf(measured.load, measured.auditTrail);
  const app = new Hono();
  app.use(async ({ req }, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return new Response(null, { status: 405 });
    await next();
  });
  app.get("/metrics", () => metricsReply(metrics));
  app.get("/healthz", healthReply);
  app.get("/readyz", () => readiness(measured.service, null, 0));
  app.notFound(() => new Response("Not found. Try /metrics, /healthz or /readyz.\n", { status: 404 }));
  // As the public one: load balancers that ask for readiness reuse their connections.
  const server = createServer(
    { keepAliveTimeout: defaultTimeouts.keepAliveInMs },
    getRequestListener(app.fetch),
  );
  return startListening(server, { host, port, flags });
}
