import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { startListening } from "@afterword/command-line/start-listening";
import { defaultTimeouts, newRecordId, systemClock } from "@afterword/reference-server/internal";
import { type ServerEvents } from "../audit/audit-trail.ts";
import { Connections } from "./connections.ts";
import { type StartOptions } from "./start-options.ts";
import { type Answer } from "./telemetry.ts";

const flags = { host: "--host", port: "--port" };
const slowestCheckInMs = 2000;

export interface Listening {
  server: Server;
  connections: Connections;
  url: string;
}

/** Counts and logs a request that was answered before it could reach the application. @param reason Node's error code, or a short text */
type Report = (status: number, reason: string, method?: string) => void;

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers malformed requests as Node itself would. */
function refuseUnreadable(server: Server, connections: Connections, report: Report): void {
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
    const isReadable = !code.startsWith("HPE_") && code !== "ERR_HTTP_REQUEST_TIMEOUT";
    const reply = connections.replyOn(socket);
    // Writing here would corrupt a reply that has begun.
    if (isReadable || !socket.writable || reply?.headersSent) return void socket.destroy();
    const status = statuses[code] ?? 400;
    // A request that has begun emits its own event.
    if (!reply) report(status, code);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
  });
}

/** Closes connections that make no progress: idle ones, and those whose client does not read its reply. */
function cutStalled(server: Server, connections: Connections, patienceInMs: number): void {
  server.timeout = patienceInMs;
  server.on("timeout", (socket) => {
    // An erasure or an export may need longer until the first byte.
    if (connections.isWorking(socket)) socket.setTimeout(patienceInMs);
    else socket.destroy();
  });
}

const mostPerAddress = 100;
const sweepEveryInMs = 1000;
const warnsEveryInMs = 60_000;

/** Keeps one client from taking all connections that the system allows: 600 silent ones kept others out for 12 seconds. */
function closeSurplusIdle(server: Server, connections: Connections, events: ServerEvents): void {
  let [unreported, reportedAt] = [0, -Infinity];
  const close = () => {
    unreported += connections.closeSurplus();
    const now = performance.now();
    if (unreported === 0 || now - reportedAt < warnsEveryInMs) return;
    // The line has no address, which is personal data.
    const message = `Closed ${unreported} idle connections of clients that had more than ${mostPerAddress} open. If a proxy is in front, set trustedProxies.`;
    events.emit({ kind: "warning", message });
    [unreported, reportedAt] = [0, now];
  };
  // After the event loop has read pending data, which may be a request.
  const sweep = setInterval(() => setImmediate(close), sweepEveryInMs);
  sweep.unref();
  server.once("close", () => clearInterval(sweep));
}

const versions: ReadonlySet<string> = new Set(["1.0", "1.1"]);

/**
 * Status and reason for a request that is not handed to the application: its version, or a body whose end a proxy may see
 * elsewhere, with what follows as a request of its own (RFC 9112, section 6.1). Node reads chunks behind other codings and in
 * HTTP/1.0.
 */
function refusalOf({ httpVersion, headers }: IncomingMessage): [number, string] | undefined {
  if (!versions.has(httpVersion)) return [505, `HTTP/${httpVersion}`];
  const coding = headers["transfer-encoding"]?.trim().toLowerCase();
  if (coding === undefined || (coding === "chunked" && httpVersion === "1.1")) return undefined;
  return [400, "Transfer-Encoding"];
}

const answering = (fetch: Answer, report: Report) =>
  getRequestListener(fetch, {
    // The adapter refuses a Host and target that do not form a URL before it calls the application.
    errorHandler(error: unknown) {
      const status = error instanceof RequestError ? 400 : 500;
      report(status, error instanceof Error ? error.message : "unknown");
      return new Response(null, { status });
    },
  });

/**
 * Listens on a port.
 * @param isBehindProxy leaves any number of connections open: the proxy bounds what its clients may open, and keeps idle
 * connections of its own
 * @throws CannotListen for a port in use or an address of another machine
 */
export async function listen(
  { host = "127.0.0.1", port = 0, clock = systemClock, timeouts }: StartOptions,
  fetch: Answer,
  events: ServerEvents,
  isBehindProxy: boolean,
): Promise<Listening> {
  const { headersInMs, requestInMs, keepAliveInMs } = { ...defaultTimeouts, ...timeouts };
  const report: Report = (status, rejection, method = "") => {
    const requestId = newRecordId(clock.now());
    events.emit({ kind: "request", requestId, method, status, durationInMs: 0, rejection });
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, status: number, reason: string) => {
    report(status, reason, request.method);
    response.writeHead(status, { "Connection": "close", "Content-Length": 0 }).end();
  };
  const answer = answering(fetch, report);
  const refused = new WeakSet<Socket>();
  const take = (request: IncomingMessage, response: ServerResponse) => {
    // What Node has read behind a refused request may be its body.
    if (refused.has(request.socket)) return;
    connections.begin(response);
    const refusal = refusalOf(request);
    if (refusal) {
      refused.add(request.socket);
      return refuse(request, response, ...refusal);
    }
    answer(request, response).catch((error: unknown) => {
      // The request's event has been emitted. A partial reply must not look complete.
      process.emitWarning(error as Error);
      response.destroy();
    });
  };
  const server = createServer(
    {
      headersTimeout: Math.min(headersInMs, requestInMs),
      requestTimeout: requestInMs,
      keepAliveTimeout: keepAliveInMs,
      connectionsCheckingInterval: Math.min(slowestCheckInMs, requestInMs / 5),
      // Node would ignore a second Host header; joined, they are invalid.
      joinDuplicateHeaders: true,
    },
    take,
  );
  const connections = new Connections(server, isBehindProxy ? Infinity : mostPerAddress);
  cutStalled(server, connections, requestInMs);
  if (!isBehindProxy) closeSurplusIdle(server, connections, events);
  refuseUnreadable(server, connections, report);
  server.on("checkContinue", (request, response) => {
    // Without 100 Continue the body may still follow, and could be mistaken for the next request.
    response.setHeader("Connection", "close");
    take(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    connections.begin(response);
    refuse(request, response, 417, "Expect");
  });
  const { url } = await startListening(server, { host, port, flags });
  return { server, connections, url };
}
