import { text } from "node:stream/consumers";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

/** What happens to a request: it is lost, its reply is lost, it waits, or something else answers. */
export type Fault =
  | "lost"
  | "reply-lost"
  | { untilReleased: Promise<unknown> }
  | { status: number; headers?: Record<string, string>; body?: string; isHiddenFromPages?: boolean };

export interface SeenRequest {
  method: string;
  path: string;
  /** Media type of the body. */
  type: string | undefined;
  /** The body as JSON; `undefined` without one. */
  body: Record<string, unknown> | undefined;
}

/**
 * Stands between pages and the service, sees everything, and does to it what a test wants. It lets reports of shown surveys
 * pass unseen: they come a second after a survey, when the next test may be counting requests.
 */
export interface FaultProxy {
  url: string;
  seen: SeenRequest[];
  /** The requests to one path. */
  sent(path: string): SeenRequest[];
  /** Decides the fate of each request, after it has been seen. */
  fault: (request: SeenRequest) => Fault | undefined;
  stop(): void;
}

/** As a service that cannot check tokens, for thumbs whose tokens are made up. */
export const withoutTokenChecks: FaultProxy["fault"] = ({ path }) =>
  path === "/v1/sdk/tokens/check" ? { status: 404 } : undefined;

const passedOn = [
  "origin",
  "content-type",
  "access-control-request-method",
  "access-control-request-headers",
];

/** What lets a page read a reply. */
const readable = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

export async function startFaultProxy(serviceUrl: string): Promise<FaultProxy> {
  const proxy: FaultProxy = {
    url: "",
    seen: [],
    sent: (path) => proxy.seen.filter((request) => request.path === path),
    fault: () => undefined,
    stop: () => void close(),
  };
  const { url: ownUrl, close } = await serveLocally(async (request, reply) => {
    // Browsers send a POST again by themselves when a connection that they used before is cut.
    reply.setHeader("connection", "close");
    const sent = await text(request);
    const { method = "GET", url = "/" } = request;
    const seen = {
      method,
      path: url,
      type: request.headers["content-type"],
      body: sent ? (JSON.parse(sent) as Record<string, unknown>) : undefined,
    };
    const isReport = url === "/v1/shown";
    if (!isReport) proxy.seen.push(seen);
    const fault = isReport ? undefined : proxy.fault(seen);
    if (fault === "lost") return request.socket.destroy();
    if (typeof fault === "object" && "status" in fault) {
      const { status, body = "{}", isHiddenFromPages } = fault;
      const headers = isHiddenFromPages ? {} : readable;
      return reply.writeHead(status, { ...headers, ...fault.headers }).end(body);
    }
    if (fault && fault !== "reply-lost") await fault.untilReleased;
    const headers = passedOn.flatMap((name) =>
      request.headers[name] ? [[name, request.headers[name]]] : [],
    );
    const answer = await fetch(serviceUrl + url, {
      method,
      headers: Object.fromEntries(headers),
      body: sent || undefined,
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (fault === "reply-lost") return request.socket.destroy();
    const replied = [...answer.headers].filter(
      ([name]) => !/^(content-(length|encoding)|connection)$/.test(name),
    );
    return reply.writeHead(answer.status, Object.fromEntries(replied)).end(body);
  });
  return Object.assign(proxy, { url: ownUrl });
}
