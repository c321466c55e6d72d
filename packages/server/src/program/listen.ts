import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";
import {
  type ConnectionTimeouts,
  defaultTimeouts,
  networkOf,
  startListening,
} from "@afterword/reference-server/internal";
import { reject, rejectUnreadable, type Rejection, type RejectionListener } from "./rejections.ts";

interface ConnectionState {
  /** The latest reply, until it has been sent. */
  reply?: ServerResponse;
  /** When the last reply was sent, and the bytes read by then: if there are more now, a request is arriving. */
  idleSince: number;
  bytesRead: number;
  /** Whether a request has arrived on it. */
  isUsed: boolean;
}

export class Connections {
  readonly #open = new Map<Socket, ConnectionState>();
  /** The connections that stay open after a reply, by client address. */
  readonly #kept = new Map<string | undefined, Set<Socket>>();
  readonly #mostPerAddress: number;
  readonly #stopwatch: () => number;
  #isLast = false;

  /**
   * @param mostPerAddress connections of one client address that stay open after a reply
   * @param stopwatch milliseconds of a monotonic clock
   */
  constructor(server: Server, mostPerAddress = Infinity, stopwatch: () => number = () => performance.now()) {
    this.#mostPerAddress = mostPerAddress;
    this.#stopwatch = stopwatch;
    server.on("connection", (socket: Socket) => {
      this.#open.set(socket, { idleSince: stopwatch(), bytesRead: 0, isUsed: false });
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  /** Whether a connection may stay open after its reply. */
  #keeps(socket: Socket): boolean {
    const network = networkOf(socket.remoteAddress ?? "");
    const kept = this.#kept.get(network) ?? new Set();
    if (kept.has(socket)) return true;
    if (kept.size >= this.#mostPerAddress) return false;
    this.#kept.set(network, kept.add(socket));
    socket.once("close", () => {
      kept.delete(socket);
      if (kept.size === 0) this.#kept.delete(network);
    });
    return true;
  }

  /** Call with each reply before it is written. */
  begin(reply: ServerResponse): void {
    const { socket } = reply;
    const connection = socket && this.#open.get(socket);
    if (!connection) return;
    connection.reply = reply;
    connection.isUsed = true;
    if (this.#isLast || !this.#keeps(socket)) reply.setHeader("Connection", "close");
    reply.once("close", () => {
      connection.idleSince = this.#stopwatch();
      connection.bytesRead = socket.bytesRead;
      if (connection.reply === reply) connection.reply = undefined;
    });
  }

  /** Whether the server is working on a request and no part of its reply waits for the client. */
  isWorking(socket: Socket): boolean {
    return this.#open.get(socket)?.reply?.writableEnded === false && socket.writableLength === 0;
  }

  /** The latest reply of a connection, until it has been sent. */
  replyOn(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.reply;
  }

  /** From now on every reply has `Connection: close`. */
  closeAfterReplies(): void {
    this.#isLast = true;
    for (const { reply } of this.#open.values()) {
      if (reply && !reply.headersSent) reply.setHeader("Connection", "close");
    }
  }

  /**
   * Closes the oldest connections of each client address that has more without a request than may stay open: the more
   * there are, the sooner. Two hundred have five of the ten seconds for a first request. Returns how many it has closed.
   */
  closeSurplus(): number {
    const silent = [...this.#open].filter(([, { isUsed }]) => !isUsed);
    let closed = 0;
    for (const own of Map.groupBy(silent, ([{ remoteAddress = "" }]) => networkOf(remoteAddress)).values()) {
      const latest = this.#stopwatch() - (defaultTimeouts.headersInMs * this.#mostPerAddress) / own.length;
      // They are in the order in which they were opened.
      for (const [socket, { idleSince }] of own.slice(0, Math.max(0, own.length - this.#mostPerAddress))) {
        if (idleSince > latest) break;
        socket.destroy();
        closed++;
      }
    }
    return closed;
  }

  /** Closes connections that have been silent this long; others may have a request on its way, which would be reset. */
  closeIdle(silentForInMs: number): void {
    const latest = this.#stopwatch() - silentForInMs;
    for (const [socket, { reply, idleSince, bytesRead }] of this.#open) {
      if (!reply && idleSince <= latest && socket.bytesRead === bytesRead) socket.destroySoon();
    }
  }
}

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
