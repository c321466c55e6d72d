import { connect, type Socket } from "node:net";
import { startServer, type ServerEvent } from "@afterword/server";
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";

// A client that opens connections and says nothing must not take all that the system allows.

const silent = 600;
const mostIdle = 100;

describe("idle connections of one client address", () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const open = (url: string) => {
    const { hostname, port } = new URL(url);
    for (let count = 0; count < silent; count++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" });
      socket.on("error", () => undefined);
      socket.resume();
      sockets.push(socket);
    }
    return Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  };
  const stillOpen = () =>
    sockets.filter((socket) => !socket.destroyed && socket.readyState === "open").length;

  it("are closed down to a hundred within seconds, with one line in the log, and others are answered", async () => {
    const events: ServerEvent[] = [];
    await using server = await startServer({
      config: { rateLimits: false, projects: [project("p")] },
      events: { emit: (event) => void events.push(event) },
    });
    await open(server.url);
    await expect.poll(stillOpen, { timeout: 5000 }).toBe(mostIdle);
    expect((await new ApiClient(server.url, keysOf("p")).bootstrap("ada")).status).toBe(200);
    const warnings = events.flatMap((event) => (event.kind === "warning" ? [event.message] : []));
    expect(warnings).toEqual([
      expect.stringMatching(/^Closed \d+ idle connections of clients that had more than 100/),
    ]);
    expect(warnings.join()).not.toContain("127.0.0");
  });

  it("are not bounded behind a trusted proxy, whose connections all come from its address", async () => {
    const events: ServerEvent[] = [];
    await using server = await startServer({
      config: { trustedProxies: 1, rateLimits: false, projects: [project("p")] },
      timeouts: { headersInMs: 1500 },
      events: { emit: (event) => void events.push(event) },
    });
    await open(server.url);
    // Until their headers are too late, as without a bound.
    await expect.poll(stillOpen, { timeout: 10_000 }).toBe(0);
    expect(events.filter(({ kind }) => kind === "warning")).toEqual([]);
  });
});
