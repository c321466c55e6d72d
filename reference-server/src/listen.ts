import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CannotListen } from "./cannot-listen.ts";
import { type ServerApp } from "./mount.ts";

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

export interface Listening {
  server: Server;
  url: string;
}

function urlOf(host: string, server: Server): string {
  const { port } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Cuts whom nothing moves on with: an idle connection, or an answer that its client does not take. */
function cutStalled(
  server: Server,
  lastAnswers: WeakMap<Socket, ServerResponse>,
  patienceInMs: number,
): void {
  server.timeout = patienceInMs;
  server.on("timeout", (socket) => {
    const isWorking = lastAnswers.get(socket)?.writableEnded === false && socket.writableLength === 0;
    // An erasure or an export may take its time until the first byte.
    if (isWorking) socket.setTimeout(patienceInMs);
    else socket.destroy();
  });
}

/** Listens on a port; 0 takes any free one. @throws CannotListen when the port is taken, or the address is none of this machine. */
export function listen(
  app: ServerApp,
  host: string,
  port: number,
  timeouts: ConnectionTimeouts = {},
): Promise<Listening> {
  const { headersInMs, requestInMs } = { ...defaults, ...timeouts };
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: true });
  const lastAnswers = new WeakMap<Socket, ServerResponse>();
  const server = createServer(
    {
      headersTimeout: Math.min(headersInMs, requestInMs),
      requestTimeout: requestInMs,
      connectionsCheckingInterval: Math.min(slowestCheckInMs, requestInMs / 5),
    },
    (request, response) => {
      lastAnswers.set(request.socket, response);
      void answer(request, response);
    },
  );
  cutStalled(server, lastAnswers, requestInMs);
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CannotListen(error, { host, port, flags })));
    server.listen(port, host, () => resolve({ server, url: urlOf(host, server) }));
  });
}
