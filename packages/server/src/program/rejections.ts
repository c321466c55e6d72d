import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Socket } from "node:net";
import { RequestError } from "@hono/node-server";
import { type Connections } from "./connections.ts";

/** A request that was answered before it could reach the application. */
export interface Rejection {
  status: number;
  /** Node's error code, or a short text. */
  reason: string;
  /** Absent if the request line is malformed. */
  method?: string;
}

export type RejectionListener = (rejection: Rejection) => void;

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers malformed requests as Node itself would, and reports them. */
export function rejectUnreadable(server: Server, connections: Connections, onRejection: RejectionListener) {
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
    const isReadable = !code.startsWith("HPE_") && code !== "ERR_HTTP_REQUEST_TIMEOUT";
    const reply = connections.replyOn(socket);
    // Writing here would corrupt a reply that has begun.
    if (isReadable || !socket.writable || reply?.headersSent) return void socket.destroy();
    const status = statuses[code] ?? 400;
    // A request that has begun emits its own event.
    if (!reply) onRejection({ status, reason: code });
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
  });
}

/** Ends a request with a status and no body. */
export function reject(
  { method }: IncomingMessage,
  outgoing: ServerResponse,
  { status, reason }: Rejection,
  onRejection: RejectionListener,
): void {
  onRejection({ status, reason, method });
  outgoing.writeHead(status, { "Connection": "close", "Content-Length": 0 }).end();
}

/** For the adapter, which refuses a Host and target that do not form a URL before it calls the application. */
export function rejectedByAdapter(error: unknown, onRejection: RejectionListener): Response {
  const status = error instanceof RequestError ? 400 : 500;
  onRejection({ status, reason: error instanceof Error ? error.message : "unknown" });
  return new Response(null, { status });
}
