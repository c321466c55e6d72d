import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";
import { reject, rejectUnreadable, type RejectionListener } from "./rejections.ts";
import { startListening } from "./start-listening.ts";

interface ConnectionState {
  /** The newest reply, until it is out. */
  reply?: ServerResponse;
  /** When the last reply was out, and what had been read by then: more means that a request is on its way. */
  idleSince: number;
  bytesRead: number;
}

/** The open connections of a server, and what each is doing. */
export class Connections {
  readonly #open = new Map<Socket, ConnectionState>();
  readonly #stopwatch: () => number;
  #isLast = false;

  /** @param stopwatch milliseconds of a monotonic clock */
  constructor(server: Server, stopwatch: () => number = () => performance.now()) {
    this.#stopwatch = stopwatch;
    server.on("connection", (socket: Socket) => {
      this.#open.set(socket, { idleSince: stopwatch(), bytesRead: 0 });
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  /** Call with the reply to each request, before it is written. */
  begin(reply: ServerResponse): void {
    const { socket } = reply;
    const connection = socket && this.#open.get(socket);
    if (!connection) return;
    connection.reply = reply;
    if (this.#isLast) reply.setHeader("Connection", "close");
    reply.once("close", () => {
      connection.idleSince = this.#stopwatch();
      connection.bytesRead = socket.bytesRead;
      if (connection.reply === reply) connection.reply = undefined;
    });
  }

  /** Whether a request is being worked on and nothing of its reply waits for the client. */
  isWorking(socket: Socket): boolean {
    return this.#open.get(socket)?.reply?.writableEnded === false && socket.writableLength === 0;
  }

  /** The newest reply of a connection, until it is out. */
  replyOn(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.reply;
  }

  /** From now on each reply is the last one of its connection, and says so. */
  giveLastReplies(): void {
    this.#isLast = true;
    for (const { reply } of this.#open.values()) {
      if (reply && !reply.headersSent) reply.setHeader("Connection", "close");
    }
  }

  /** Closes connections that have been silent for so long; a request on its way to any other would be reset. */
  closeIdle(silentForInMs: number): void {
    const latest = this.#stopwatch() - silentForInMs;
    for (const [socket, { reply, idleSince, bytesRead }] of this.#open) {
      if (!reply && idleSince <= latest && socket.bytesRead === bytesRead) socket.destroySoon();
    }
  }
}

/** Decision D50: nobody who sends or takes slowly can hold a connection. */
export interface ConnectionTimeouts {
  /** Until the header of a request must be here. Default 10,000 ms. */
  headersInMs?: number;
  /** Until the whole request must be here, and how long at least a client may take nothing of its answer. Default 30,000 ms. */
  requestInMs?: number;
}

const defaults = { headersInMs: 10_000, requestInMs: 30_000 };
const flags = { host: "--host", port: "--port" };
const slowestCheckInMs = 2000;

/** Resolves when the answer is on its way. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export interface Listening {
  server: Server;
  connections: Connections;
  url: string;
}

/** Closes connections that make no progress: idle ones, and those whose client does not take its reply. */
function cutStalled(server: Server, connections: Connections, patienceInMs: number): void {
  server.timeout = patienceInMs;
  server.on("timeout", (socket) => {
    // An erasure or an export may take its time until the first byte.
    if (connections.isWorking(socket)) socket.setTimeout(patienceInMs);
    else socket.destroy();
  });
}

export interface ListenOptions {
  answer: RequestListener;
  host: string;
  /** 0 takes any free one. */
  port: number;
  timeouts?: ConnectionTimeouts;
  /** Receives requests that were answered without `answer`. Default: none. */
  onRejection?: RejectionListener;
}

const versions: ReadonlySet<string> = new Set(["1.0", "1.1"]);

/** Listens on a port. @throws CannotListen when the port is taken, or the address is none of this machine. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { answer, host, port, timeouts, onRejection = () => undefined } = options;
  const { headersInMs, requestInMs } = { ...defaults, ...timeouts };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(response);
    if (!versions.has(request.httpVersion)) {
      return reject(request, response, { status: 505, reason: `HTTP/${request.httpVersion}` }, onRejection);
    }
    answer(request, response).catch((error: unknown) => {
      // Its event was told before it was written. Half a reply must not look whole.
      process.emitWarning(error as Error);
      response.destroy();
    });
  };
  const server = createServer(
    {
      headersTimeout: Math.min(headersInMs, requestInMs),
      requestTimeout: requestInMs,
      connectionsCheckingInterval: Math.min(slowestCheckInMs, requestInMs / 5),
      // Of two Hosts Node would drop the second one; together they are none.
      joinDuplicateHeaders: true,
    },
    take,
  );
  const connections = new Connections(server);
  cutStalled(server, connections, requestInMs);
  rejectUnreadable(server, connections, onRejection);
  server.on("checkContinue", (request, response) => {
    // The body may follow or not when it was not asked for, and the next request could not be told from it.
    response.setHeader("Connection", "close");
    take(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    connections.begin(response);
    reject(request, response, { status: 417, reason: "Expect" }, onRejection);
  });
  return { server, connections, url: await startListening(server, { host, port, flags }) };
}
