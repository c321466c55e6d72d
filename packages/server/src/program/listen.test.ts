import { setTimeout as pause } from "node:timers/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { allOf, type ConnectionTimeouts } from "@afterword/reference-server/internal";
import { Connections } from "./connections.ts";
import { listen, type Listening } from "./listen.ts";

const slownessInMs = 1500;

const answerSlowly = () => pause(slownessInMs, new Response("done"));

describe("the listener", () => {
  let listening: Listening;
  afterEach(() => new Promise((resolve) => listening.server.close(resolve)));

  const start = async (timeouts?: ConnectionTimeouts) => {
    listening = await listen({ timeouts }, answerSlowly, allOf(), false);
    return listening;
  };

  it("gives headers ten seconds, a request thirty, and a client that reads nothing thirty", async () => {
    const { server } = await start();
    expect([server.headersTimeout, server.requestTimeout, server.timeout]).toEqual([10_000, 30_000, 30_000]);
  });

  it("keeps a connection for 75 seconds after a reply, longer than load balancers reuse theirs", async () => {
    const { server } = await start();
    expect(server.keepAliveTimeout).toBe(75_000);
  });

  it("keeps a connection as long as it is told", async () => {
    const { server, url } = await start({ keepAliveInMs: 7000, requestInMs: slownessInMs });
    expect(server.keepAliveTimeout).toBe(7000);
    const reply = await fetch(`${url}/`);
    expect(reply.headers.get("keep-alive")).toBe("timeout=7");
  });

  it("never gives headers longer than their request", async () => {
    const { server } = await start({ requestInMs: 500 });
    expect(server.headersTimeout).toBe(500);
  });

  it("does not cut a client that waits for a slow reply", async () => {
    const { url } = await start({ requestInMs: slownessInMs / 5 });
    const reply = await fetch(`${url}/`);
    expect(await reply.text()).toBe("done");
  });
});

describe("connections of one address that never sent a request", () => {
  it.each([
    [90, [10_000], [0]],
    [200, [4900, 5100], [0, 100]],
    [600, [1600, 1700], [0, 500]],
  ])(
    "of %i the oldest beyond a hundred are closed, the sooner the more there are",
    async (count, times, closed) => {
      let now = 0;
      const server = createServer().listen(0, "127.0.0.1");
      const connections = new Connections(server, 100, () => now);
      await once(server, "listening");
      let accepted = 0;
      const allAccepted = new Promise((resolve) =>
        server.on("connection", () => ++accepted === count && resolve(undefined)),
      );
      const { port } = server.address() as AddressInfo;
      const sockets = Array.from({ length: count }, () =>
        connect(port, "127.0.0.1").on("error", () => undefined),
      );
      await allAccepted;
      expect(times.map((time) => ((now = time), connections.closeSurplus()))).toEqual(closed);
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
    },
  );
});
