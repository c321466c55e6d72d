import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { describe, expect, it } from "vitest";
import { ApiClient } from "../conformance/api/api-client.ts";
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
  it("answers the request whose body is half here, stores it, and ends", async () => {
    const { server, connection, rest } = await halfway();
    const closing = server.close();
    await pause(30);
    connection.socket.write(rest);
    await connection.until("\r\n\r\n");
    expect(connection.received).toMatch(/^HTTP\/1\.1 201 /);
    expect(connection.received).toMatch(/connection: close/i);
    await Promise.all([closing, connection.closed]);
  });

  it("refuses what begins afterwards on an open connection with 503 and a time to come back", async () => {
    const { server, connection, rest } = await halfway();
    const closing = server.close();
    // The second request comes with the end of the first: the connection is still open then.
    connection.socket.write(rest + headOf(2) + "{}");
    await Promise.all([closing, connection.closed]);
    const statuses = [...connection.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses[0]).toBe("201");
    expect(statuses.slice(1).every((status) => status === "503")).toBe(true);
  });

  it("takes no new connections", async () => {
    const server = await start();
    await server.close();
    await expect(fetch(`${server.url}/openapi.yaml`)).rejects.toThrow(/fetch failed/);
  });

  it("can be asked twice, and ends once", async () => {
    const server = await start();
    await expect(Promise.all([server.close(), server.close()])).resolves.toEqual([undefined, undefined]);
  });

  it("does not wait for idle connections", async () => {
    const server = await start();
    const idle = new RawConnection(server.url);
    idle.socket.write("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n");
    await idle.until("components:");
    await server.close();
    await idle.closed;
    expect(idle.received).toMatch(/^HTTP\/1\.1 200 /);
  });
});
