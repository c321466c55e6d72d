import { createServer, type RequestListener } from "node:http";
import { type OpenPort, startListening } from "@afterword/command-line/start-listening";

/** Limits for slow clients. */
export interface ConnectionTimeouts {
  /** Maximum time for the headers of a request to arrive. Default 10,000 ms. */
  headersInMs?: number;
  /**
   * Maximum time for the whole request to arrive; `@afterword/server` also closes connections whose client stops reading
   * for this long. Default 30,000 ms.
   */
  requestInMs?: number;
  /** How long a connection stays open after a reply. Longer than load balancers reuse theirs. Default 75,000 ms. */
  keepAliveInMs?: number;
}

export const defaultTimeouts = { headersInMs: 10_000, requestInMs: 30_000, keepAliveInMs: 75_000 };

const patienceInMs = 8000;

/**
 * Serves with Node's own time limits. Port 0 picks a free one. Closing waits for the requests in flight, at most eight
 * seconds. @throws CannotListen for a port in use or an address of another machine
 */
export async function serve(
  answer: RequestListener,
  host: string,
  port: number,
  timeouts?: ConnectionTimeouts,
): Promise<OpenPort> {
  const { headersInMs, requestInMs, keepAliveInMs } = { ...defaultTimeouts, ...timeouts };
  const limits = {
    headersTimeout: Math.min(headersInMs, requestInMs),
    requestTimeout: requestInMs,
    keepAliveTimeout: keepAliveInMs,
  };
  const server = createServer(limits, answer);
  const flags = { host: "--host", port: "--port" };
  const { url } = await startListening(server, { host, port, flags });
  const close = async () => {
    const cut = setTimeout(() => server.closeAllConnections(), patienceInMs);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(cut);
  };
  return { url, close };
}
