import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, type ConnectionTimeouts, type RunningServer } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";

// A slow client must not delay others or hold a connection forever.

/** The full proof waits as long as the server does by default; the quick one has it in less patience. */
const timeouts: Required<Pick<ConnectionTimeouts, "headersInMs" | "requestInMs">> | undefined = isFullProof
  ? undefined
  : { headersInMs: 2000, requestInMs: 3000 };
const patienceInMs = timeouts?.requestInMs ?? 30_000;
const connectionsPerKind = proofScale({ quick: 10, full: 100 });
const tickInMs = proofScale({ quick: 40, full: 1000 });

const start = () => startServer({ timeouts, config: { rateLimits: false, projects: [project("p")] } });

const head = (fields: string) => `POST /v1/sdk/bootstrap HTTP/1.1\r\nHost: a\r\n${fields}`;
const description = "GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n";

interface Slowness {
  first: string;
  /** Sent again and again. */
  again: string;
  /** Whether anything that comes back is read. */
  reads: boolean;
}

const kinds: Record<string, Slowness> = {
  "says nothing": { first: "", again: "", reads: true },
  "sends its header by lines": { first: head(""), again: "X-Slow: 1\r\n", reads: true },
  "sends its body by bytes": { first: head("Content-Length: 2000\r\n\r\n"), again: " ", reads: true },
  "sends its body by chunks": {
    first: head("Transfer-Encoding: chunked\r\n\r\n"),
    again: "1\r\n \r\n",
    reads: true,
  },
  "stops in the middle of its body": { first: head("Content-Length: 2000\r\n\r\n{"), again: "", reads: true },
  "asks for more and reads nothing": { first: description.repeat(150), again: description, reads: false },
};

/** Before a connection stalls, its buffers have to be filled, which takes the machine and not the server. */
const countOf = ({ reads }: Slowness) => (reads ? connectionsPerKind : Math.ceil(connectionsPerKind / 5));

/** Resolves with how long the connection was held. */
async function hold(server: RunningServer, { first, again, reads }: Slowness): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await new Promise((resolve) => socket.once("connect", resolve));
  const startedAt = performance.now();
  socket.write(first);
  const dribble = setInterval(() => socket.write(again), tickInMs);
  await closed;
  clearInterval(dribble);
  return performance.now() - startedAt;
}

/** Asks and answers until it is told to stop; how long each request took, and what it got. */
async function beHealthy(server: RunningServer, isOver: () => boolean) {
  const client = new ApiClient(server.url, keysOf("p"));
  const durations: number[] = [];
  const statuses = new Set<number>();
  for (let index = 0; !isOver() || index < 20; index++) {
    const startedAt = performance.now();
    const { status } = await client.bootstrap(`person-${index}`);
    durations.push(performance.now() - startedAt);
    statuses.add(status);
    await pause(5);
  }
  return { durations: durations.sort((one, other) => one - other), statuses: [...statuses] };
}

describe("a client that", () => {
  it.each(Object.entries(kinds).map(([name, kind]) => [name, countOf(kind), kind] as const))(
    "%s is cut in time, %i of them at once",
    { timeout: 150_000 },
    async (_, count, kind) => {
      await using server = await start();
      const all = Array.from({ length: count }, () => hold(server, kind));
      let isOver = false;
      const healthy = beHealthy(server, () => isOver);
      const held = await Promise.all(all);
      isOver = true;
      const { durations, statuses } = await healthy;
      expect(statuses).toEqual([200]);
      // Who reads nothing is looked at twice, since the system may have taken some at first. The rest is for busy machines.
      expect(Math.max(...held)).toBeLessThan(patienceInMs * 2 + 15_000);
      const p99 = durations[Math.floor(durations.length * 0.99)]!;
      if (isFullProof)
        console.log(`held ${Math.max(...held).toFixed(0)} ms, healthy p99 ${p99.toFixed(1)} ms`);
      expect(p99).toBeLessThan(isFullProof ? 250 : 2500);
    },
  );
});
