import { describe, expect, it, vi } from "vitest";
import { type Service } from "../domain/service.ts";
import { healthReply, readinessReply } from "./health.ts";

const serviceWhose = (ping: () => Promise<void>) =>
  ({ clock: { now: () => 0 }, store: { ping } }) as unknown as Service;
const answering = serviceWhose(async () => undefined);

describe("health", () => {
  it("is told whatever becomes of the database, and never from a cache", async () => {
    const reply = healthReply();
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(await reply.json()).toEqual({ status: "ok" });
  });
});

describe("readiness", () => {
  it("is given while the database answers", async () => {
    const reply = await readinessReply(answering, null, 0);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      status: "ready",
      at: "1970-01-01T00:00:00.000Z",
      proxies: "none seen",
    });
  });

  it("is refused with 503 and a time to wait when the database fails, without saying why", async () => {
    const broken = serviceWhose(() =>
      Promise.reject(new Error("password authentication failed for user canary")),
    );
    const reply = await readinessReply(broken, null, 0);
    expect(reply.status).toBe(503);
    expect(reply.headers.get("retry-after")).toBe("2");
    expect(await reply.text()).not.toContain("canary");
  });

  it("is refused when the database is silent for two seconds", async () => {
    vi.useFakeTimers();
    try {
      const reply = readinessReply(
        serviceWhose(() => new Promise(() => undefined)),
        null,
        0,
      );
      await vi.advanceTimersByTimeAsync(2000);
      expect((await reply).status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [null, 1, "none seen"],
    ["203.0.113.9", 1, "trusted"],
    ["203.0.113.9", 0, "untrusted"],
  ])("says of %s behind %i proxies: %s", async (forwardedFor, trusted, proxies) => {
    expect(await (await readinessReply(answering, forwardedFor, trusted)).json()).toMatchObject({ proxies });
  });
});
