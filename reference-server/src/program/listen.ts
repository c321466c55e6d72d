import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Connections } from "./connections.ts";
import { startListening } from "./start-listening.ts";

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

/** Listens on a port; 0 takes any free one. @throws CannotListen when the port is taken, or the address is none of this machine. */
export async function listen(
  answer: RequestListener,
  host: string,
  port: number,
  timeouts: ConnectionTimeouts = {},
): Promise<Listening> {
  const { headersInMs, requestInMs } = { ...defaults, ...timeouts };
  const server = createServer(
    {
      headersTimeout: Math.min(headersInMs, requestInMs),
      requestTimeout: requestInMs,
      connectionsCheckingInterval: Math.min(slowestCheckInMs, requestInMs / 5),
      // Of two Authorization headers Node would drop the second one; both have to be good (decision D27).
      joinDuplicateHeaders: true,
    },
    (request, response) => {
      connections.begin(response);
      answer(request, response).catch((error: unknown) => {
        // Its event was told before it was written. Half a reply must not look whole.
        process.emitWarning(error as Error);
        response.destroy();
      });
    },
  );
  const connections = new Connections(server);
  cutStalled(server, connections, requestInMs);
  return { server, connections, url: await startListening(server, { host, port, flags }) };
}
