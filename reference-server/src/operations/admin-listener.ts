import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CannotListen } from "../cannot-listen.ts";
import { healthReply, type Readiness } from "./health.ts";
import { type Metrics } from "./metrics.ts";

export interface AdminListener {
  url: string;
  close(): Promise<void>;
}

export interface AdminAddress {
  /** Default `127.0.0.1`: metrics are nobody else's business. */
  host?: string;
  /** 0 takes any free port. */
  port: number;
}

const flags = { host: "--admin-host", port: "--admin-port" };

const notFound = () => new Response("There are /metrics, /healthz and /readyz.\n", { status: 404 });

async function metricsReply(metrics: Metrics): Promise<Response> {
  try {
    return new Response(await metrics.text(), { headers: { "Content-Type": metrics.registry.contentType } });
  } catch {
    return new Response("The database does not answer.\n", { status: 503 });
  }
}

/** A listener of its own for those who operate the server; what it says is never reachable by the public port. */
export function startAdminListener(
  { host = "127.0.0.1", port }: AdminAddress,
  metrics: Metrics,
  readiness: Readiness,
): Promise<AdminListener> {
  const answer = (request: Request): Response | Promise<Response> => {
    if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
    switch (new URL(request.url).pathname) {
      case "/metrics":
        return metricsReply(metrics);
      case "/healthz":
        return healthReply();
      case "/readyz":
        return readiness.reply(null, 0);
      default:
        return notFound();
    }
  };
  const server = createServer(getRequestListener(answer));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CannotListen(error, { host, port, flags })));
    server.listen(port, host, () => {
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${(server.address() as AddressInfo).port}`, close });
    });
  });
}
