import { type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";
import { defaultTimeouts, networkOf } from "@afterword/reference-server/internal";

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
