import { connect, type Socket } from "node:net";

/** What a run of requests came to. Times are milliseconds. */
export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50: number;
  p99: number;
  statuses: Record<string, number>;
  /** Processor time of the server per request, in microseconds. */
  cpuMicroseconds: number;
}

export interface Load {
  server: { ready: { url: string }; cpuSeconds(): number };
  connections: number;
  /** Stops after this many requests, or when `next` has no more. */
  requests: number;
  /** The next request as bytes, written by `requestBytes`. */
  next: () => Buffer | undefined;
}

/** A request as it goes onto the wire; built before the clock runs. */
export function requestBytes(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Buffer {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: bench",
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(payload)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${payload}`);
}

const endOfHead = Buffer.from("\r\n\r\n");

/** Length of the first whole reply in the buffer; 0 while it is incomplete. Replies have a Content-Length here. */
function replyLength(buffer: Buffer): number {
  const head = buffer.indexOf(endOfHead);
  if (head < 0) return 0;
  const length = /content-length: (\d+)/i.exec(buffer.toString("latin1", 0, head))?.[1];
  const end = head + endOfHead.length + Number(length ?? 0);
  return buffer.length < end ? 0 : end;
}

/** @throws Error unless every request was answered with this status: a refusal is fast, and no measure of anything */
export function assertAnswered({ requests, statuses }: LoadResult, status: string): void {
  if (statuses[status] !== requests) throw new Error(`Requests failed: ${JSON.stringify(statuses)}`);
}

/** Keeps every connection busy with one request at a time, as cheaply as it can: the server is to be the limit. */
export async function runLoad({ server, connections, requests, next }: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(server.ready.url);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let started = 0;
  const cpuBefore = server.cpuSeconds();
  const startedAt = performance.now();
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname);
      let received: Buffer = Buffer.alloc(0);
      let sentAt = 0;
      const send = () => {
        const bytes = started < requests ? next() : undefined;
        if (!bytes) return void socket.end(resolve);
        started++;
        sentAt = performance.now();
        socket.write(bytes);
      };
      socket.setNoDelay(true);
      socket.once("connect", send);
      socket.on("error", reject);
      // After the last reply this changes nothing any more.
      socket.on("close", () => reject(new Error("The server closed a connection before it had answered.")));
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = replyLength(received);
        if (length === 0) return;
        latencies.push(performance.now() - sentAt);
        const status = received.toString("latin1", 9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        received = received.subarray(length);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, runConnection));
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((one, other) => one - other);
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    statuses,
    cpuMicroseconds: ((server.cpuSeconds() - cpuBefore) / latencies.length) * 1_000_000,
  };
}
