import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";
import {
  type ConnectionTimeouts,
  defaultTimeouts,
  startListening,
} from "@afterword/reference-server/internal";
import { Connections } from "./connections.ts";
import { reject, rejectUnreadable, type Rejection, type RejectionListener } from "./rejections.ts";

const flags = { host: "--host", port: "--port" };
const slowestCheckInMs = 2000;

/** Resolves when the reply is being sent. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export interface Listening {
  server: Server;
  connections: Connections;
  url: string;
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

/** Keeps one client from taking all connections that the system allows: 600 silent ones kept others out for 12 seconds. */
function closeSurplusIdle(server: Server, connections: Connections, onClosed: (count: number) => void): void {
  const close = () => {
    const closed = connections.closeSurplus();
    if (closed > 0) onClosed(closed);
  };
  // After the event loop has read pending data, which may be a request.
  const sweep = setInterval(() => setImmediate(close), sweepEveryInMs);
  sweep.unref();
  server.once("close", () => clearInterval(sweep));
}

const versions: ReadonlySet<string> = new Set(["1.0", "1.1"]);

/**
 * Why a request is not handed to the application: its version, or a body whose end a proxy may see elsewhere, with what
 * follows as a request of its own (RFC 9112, section 6.1). Node reads chunks behind other codings and in HTTP/1.0.
 */
function refusalOf({ httpVersion, headers }: IncomingMessage): Rejection | undefined {
  if (!versions.has(httpVersion)) return { status: 505, reason: `HTTP/${httpVersion}` };
  const coding = headers["transfer-encoding"]?.trim().toLowerCase();
  if (coding === undefined || (coding === "chunked" && httpVersion === "1.1")) return undefined;
  return { status: 400, reason: "Transfer-Encoding" };
}

export interface ListenOptions {
  answer: RequestListener;
  host: string;
  /** 0 picks a free port. */
  port: number;
  timeouts?: ConnectionTimeouts;
  /** Receives requests that were answered without `answer`. Default: none. */
  onRejection?: RejectionListener;
  /**
   * Receives how many connections without a request were closed because their client address had more than 100. Default: any
   * number may be open, as behind a proxy, whose address all clients share.
   */
  onIdleClosed?: (count: number) => void;
}

/** Listens on a port. @throws CannotListen for a port in use or an address of another machine */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { answer, host, port, timeouts, onRejection = () => undefined } = options;
  const { headersInMs, requestInMs, keepAliveInMs } = { ...defaultTimeouts, ...timeouts };
  const refused = new WeakSet<Socket>();
  const take = (request: IncomingMessage, response: ServerResponse) => {
    // What Node has read behind a refused request may be its body.
    if (refused.has(request.socket)) return;
    connections.begin(response);
    const refusal = refusalOf(request);
    if (refusal) {
      refused.add(request.socket);
      return reject(request, response, refusal, onRejection);
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
  const connections = new Connections(server, options.onIdleClosed && mostPerAddress);
  cutStalled(server, connections, requestInMs);
  if (options.onIdleClosed) closeSurplusIdle(server, connections, options.onIdleClosed);
  rejectUnreadable(server, connections, onRejection);
  server.on("checkContinue", (request, response) => {
    // Without 100 Continue the body may still follow, and could be mistaken for the next request.
    response.setHeader("Connection", "close");
    take(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    connections.begin(response);
    reject(request, response, { status: 417, reason: "Expect" }, onRejection);
  });
  const { url } = await startListening(server, { host, port, flags });
  return { server, connections, url };
}
