import { type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";

interface Connection {
  /** The newest reply, until it is out. */
  reply?: ServerResponse;
  /** When the last reply was out, and what had been read by then: more means that a request is on its way. */
  idleSince: number;
  bytesRead: number;
}

/** The open connections of a server, and what each is doing. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
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
