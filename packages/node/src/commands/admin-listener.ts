import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "../errors/afterword-error.ts";
import type { ForwarderStatus } from "../delivery/forwarder-status.ts";
import type { ForwarderMetrics } from "./forwarder-metrics.ts";

export interface AdminAddress {
  /** Default `127.0.0.1`, so that only this machine can read metrics. */
  host?: string;
  /** 0 picks a free port. */
  port: number;
}

const json = (status: number, body: object) =>
  Response.json(body, { status, headers: { "Cache-Control": "no-store" } });

/** 200 while the forwarder delivers or has nothing to deliver; 503 with the reason otherwise. */
function readiness({ state, stalled, lagInMs, leased }: ForwarderStatus): Response {
  if (state !== "running" && state !== "paused") return json(503, { status: "unavailable", reason: state });
  if (stalled !== null) return json(503, { status: "unavailable", reason: stalled });
  return json(200, { status: "ready", state, lagInMs, leased });
}

/** Listens for health checks and scrapes. Throws a `ConfigurationError` if it cannot. */
export async function startAdminListener(
  { host = "127.0.0.1", port }: AdminAddress,
  metrics: Pick<ForwarderMetrics, "reply">,
  health: () => ForwarderStatus,
): Promise<{ url: string } & AsyncDisposable> {
  const replyTo = async (method: string | undefined, path: string): Promise<Response> => {
    if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405 });
    if (path === "/healthz") return json(200, { status: "ok" });
    if (path === "/readyz") return readiness(health());
    if (path === "/metrics") return metrics.reply(health());
    return new Response("Not found. Try /metrics, /healthz or /readyz.\n", { status: 404 });
  };
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    replyTo(request.method, path)
      .then((reply) => write(reply, response))
      .catch(() => response.destroy());
  });
  // A bug of a scraper must not keep the forwarder from its work.
  server.requestTimeout = 10_000;
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port);
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function write(reply: Response, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ConfigurationError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use; choose another with --admin-port.`,
    EACCES: `This account may not listen on port ${port}; choose one from 1024 with --admin-port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}; choose another with --admin-host.`,
    ENOTFOUND: `This machine does not have the address ${host}; choose another with --admin-host.`,
  };
  const message =
    reasons[error.code ?? ""] ?? `Could not listen on port ${port} on ${host}: ${error.message}`;
  return new ConfigurationError(message, { cause: error });
}
