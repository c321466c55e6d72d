import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Background, type Service } from "@afterword/reference-server/internal";
import { Load } from "../health/load.ts";
import { Connections } from "./connections.ts";
import { stopServer } from "./stop-server.ts";

const never = new Promise<void>(() => undefined);

describe("stopping", () => {
  let server: Server;
  let steps: string[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    server = createServer();
    steps = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    server.close();
  });

  const step =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      steps.push(name);
      await until;
    };

  type Work = { background?: Promise<void>; store?: Promise<void>; drainDelayInMs?: number };
  function stop({ background, store, drainDelayInMs = 0 }: Work) {
    const service = { store: { close: step("close the database", store) } } as unknown as Service;
    const work: Background = { stop: step("end the background", background) };
    const listening = { server, connections: new Connections(server), url: "" };
    const stopping = { listening, background: work, service, load: new Load(), drainDelayInMs };
    return stopServer(stopping).then(() => steps.push("stopped"));
  }

  it("ends background work before it closes the database", async () => {
    await stop({});
    expect(steps).toEqual(["end the background", "close the database", "stopped"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(["background", "store"])("is over after 9.5 seconds, whatever the %s does", async (who) => {
    const stopped = stop({ [who]: never });
    await vi.advanceTimersByTimeAsync(9499);
    expect(steps).not.toContain("stopped");
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(steps).toContain("stopped");
  });

  it("fails when the database could not be closed", async () => {
    await expect(stop({ store: Promise.reject(new Error("no")) })).rejects.toThrow("no");
  });
});
