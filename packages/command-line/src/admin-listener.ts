import { createServer } from "node:http";
import { type OpenPort, startListening } from "./start-listening.ts";

/** Where operators read health and metrics; by default only this machine can. */
export interface AdminAddress {
  host?: string | undefined;
  /** 0 picks a free port. */
  port: number;
}

/** The part of a metrics library's registry that a scrape reads. */
interface ScrapedRegistry {
  contentType: string;
  metrics(): Promise<string>;
}

type Page = () => Response | Promise<Response>;

const flags = { host: "--admin-host", port: "--admin-port" };
const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Listens for an operator's health checks and scrapes. @throws CannotListen */
export function startAdminListener(
  { host = "127.0.0.1", port }: AdminAddress,
  registry: ScrapedRegistry,
  readiness: Page,
): Promise<OpenPort> {
  const pages: Readonly<Record<string, Page>> = {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": readiness,
    "/metrics": async () =>
      new Response(await registry.metrics(), { headers: { "Content-Type": registry.contentType } }),
  };
  const replyTo = async (method = "", url = ""): Promise<Response> => {
    if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405 });
    const page = pages[url.split("?")[0]!];
    return page?.() ?? new Response("Not found. Try /metrics, /healthz or /readyz.\n", { status: 404 });
  };
  // Load balancers that ask for readiness reuse their connections. A bug of a scraper must not keep the program from its work.
  const limits = { keepAliveTimeout: 75_000, requestTimeout: 10_000 };
  const server = createServer(limits, ({ method, url }, response) => {
    const answer = async () => {
      const reply = await replyTo(method, url);
      response.writeHead(reply.status, { ...headers, ...Object.fromEntries(reply.headers) });
      response.end(await reply.text());
    };
    answer().catch(() => response.destroy());
  });
  return startListening(server, { host, port, flags });
}
