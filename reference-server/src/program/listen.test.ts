import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { listen, type ConnectionTimeouts, type Listening, type RequestListener } from "./listen.ts";

const slownessInMs = 1500;

const answerSlowly: RequestListener = async (_, outgoing) => {
  await pause(slownessInMs);
  outgoing.end("done");
};

describe("the listener", () => {
  let listening: Listening;
  afterEach(() => new Promise((resolve) => listening.server.close(resolve)));

  const start = async (timeouts?: ConnectionTimeouts) => {
    listening = await listen({ answer: answerSlowly, host: "127.0.0.1", port: 0, timeouts });
    return listening;
  };

  it("gives headers ten seconds, a request thirty, and a client that reads nothing thirty", async () => {
    const { server } = await start();
    expect([server.headersTimeout, server.requestTimeout, server.timeout]).toEqual([10_000, 30_000, 30_000]);
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
