import { setTimeout as pause } from "node:timers/promises";
import { Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { listen, type ConnectionTimeouts, type Listening } from "./listen.ts";
import { type ServerApp } from "./mount.ts";

const slownessInMs = 300;

describe("the listener", () => {
  let listening: Listening;
  afterEach(() => new Promise((resolve) => listening.server.close(resolve)));

  const start = async (timeouts?: ConnectionTimeouts) => {
    const app: ServerApp = new Hono();
    app.get("/slow", async (context) => {
      await pause(slownessInMs);
      return context.text("done");
    });
    listening = await listen(app, "127.0.0.1", 0, timeouts);
    return listening;
  };

  it("gives a header ten seconds, a request thirty, and a client that takes nothing thirty", async () => {
    const { server } = await start();
    expect([server.headersTimeout, server.requestTimeout, server.timeout]).toEqual([10_000, 30_000, 30_000]);
  });

  it("never gives a header longer than its request", async () => {
    const { server } = await start({ requestInMs: 500 });
    expect(server.headersTimeout).toBe(500);
  });

  it("does not cut who waits for an answer that takes longer than that", async () => {
    const { url } = await start({ requestInMs: slownessInMs / 5 });
    const reply = await fetch(`${url}/slow`);
    expect(await reply.text()).toBe("done");
  });
});
