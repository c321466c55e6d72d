import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, type RunningServer } from "@afterword/server";
import { describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";

const start = () => startServer({ config: { rateLimits: false, projects: [project("p")] } });

/** A connection that collects what it is sent. */
class RawConnection {
  received = "";
  readonly socket: Socket;
  readonly closed: Promise<void>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("data", (chunk) => (this.received += chunk.toString()));
    this.socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
  }

  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) await pause(5);
  }
}

const description = "GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n";
const headOf = (length: number) =>
  `POST /v1/sdk/responses HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

async function answerBody(server: RunningServer): Promise<string> {
  const client = new ApiClient(server.url, keysOf("p"));
  const showToken = await client.boundToken("p-nps", { respondentId: "ann" });
  return JSON.stringify({ key: client.keys.publishableKey, showToken, surveyId: "p-nps", rating: 5 });
}

/** A server that has half of a request, and the rest of it. */
async function halfway() {
  const server = await start();
  const body = await answerBody(server);
  const connection = new RawConnection(server.url);
  connection.socket.write(headOf(body.length) + body.slice(0, 20));
  await pause(30);
  return { server, connection, rest: body.slice(20) };
}

describe("a server that is asked to stop", () => {
  it("answers the request whose body has half arrived, stores it, and ends", async () => {
    const { server, connection, rest } = await halfway();
    const closing = server.close();
    await pause(30);
    connection.socket.write(rest);
    await connection.until("\r\n\r\n");
    expect(connection.received).toMatch(/^HTTP\/1\.1 201 /);
    expect(connection.received).toMatch(/connection: close/i);
    await Promise.all([closing, connection.closed]);
  });

  it("answers a later request on an open connection, with Connection: close", async () => {
    const server = await start();
    const connection = new RawConnection(server.url);
    connection.socket.write(description);
    await connection.until("components:");
    const closing = server.close();
    connection.socket.write(description);
    await Promise.all([closing, connection.closed]);
    const [first, second] = connection.received.split("HTTP/1.1 ").slice(1);
    expect(first).toMatch(/^200 [^]*connection: keep-alive/i);
    expect(second).toMatch(/^200 [^]*connection: close/i);
  });

  it("resets no connection whose client sends one request after another", async () => {
    const server = await start();
    const unanswered: number[] = [];
    let lastReplies = 0;
    let warm = () => undefined as void;
    const oneIsWarm = new Promise<void>((resolve) => (warm = resolve));
    const clients = Array.from({ length: 40 }, async (_, index) => {
      const connection = new RawConnection(server.url);
      for (let count = 1; !/connection: close/i.test(connection.received); count++) {
        connection.received = "";
        connection.socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        const outcome = await Promise.race([
          connection.until('{"status":"ok"}'),
          connection.closed.then(() => "cut"),
        ]);
        if (outcome === "cut" && !connection.received.includes('{"status":"ok"}'))
          return void unanswered.push(index);
        if (count === 20) warm();
      }
      lastReplies++;
    });
    await Promise.race([oneIsWarm, Promise.all(clients)]);
    await server.close();
    await Promise.all(clients);
    expect([unanswered, lastReplies]).toEqual([[], 40]);
  });

  it("is not ready, and takes connections for the drain delay", async () => {
    await using server = await startServer({ drainDelayInMs: 300, config: { projects: [] } });
    const closing = server.close();
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: "unavailable", server: "is stopping" },
    ]);
    const reply = await fetch(`${server.url}/healthz`);
    expect(await reply.json()).toEqual({ status: "ok" });
    await closing;
    await expect(fetch(`${server.url}/openapi.yaml`)).rejects.toThrow(/fetch failed/);
  });

  it("does not wait for idle connections", async () => {
    const server = await start();
    const idle = new RawConnection(server.url);
    idle.socket.write(description);
    await idle.until("components:");
    await server.close();
    await idle.closed;
    expect(idle.received).toMatch(/^HTTP\/1\.1 200 /);
  });
});
