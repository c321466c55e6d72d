import { describe, expect, it, vi } from "vitest";
import { type Service } from "@afterword/reference-server/internal";
import { Load } from "./load.ts";
import { readinessOf } from "./readiness.ts";

type Ping = () => Promise<void>;

function readinessWhose(
  ping: Ping,
  { load = new Load(), stopwatch = (): number => 0, masterKeys = {} } = {},
) {
  const service = { clock: { now: () => 0 }, store: { ping }, masterKeys } as unknown as Service;
  return { reply: readinessOf(load, undefined, stopwatch).bind(undefined, service) };
}
const answering = readinessWhose(async () => undefined);

describe("readiness", () => {
  it("is 200 while the database answers", async () => {
    const reply = await answering.reply(null, 0);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      status: "ready",
      at: "1970-01-01T00:00:00.000Z",
      proxies: "none seen",
    });
  });

  it("is 503 with Retry-After when the database fails, without the reason", async () => {
    const broken = readinessWhose(() =>
      Promise.reject(new Error("password authentication failed for user canary")),
    );
    const reply = await broken.reply(null, 0);
    expect(reply.status).toBe(503);
    expect(reply.headers.get("retry-after")).toBe("2");
    expect(await reply.text()).not.toContain("canary");
  });

  it("is 503 when the database is silent for two seconds", async () => {
    vi.useFakeTimers();
    try {
      const silent = readinessWhose(() => new Promise(() => undefined));
      const reply = silent.reply(null, 0);
      await vi.advanceTimersByTimeAsync(2000);
      expect((await reply).status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes one query for concurrent checks, and a new one afterwards", async () => {
    let answer = () => undefined as void;
    const ping = vi.fn<Ping>(() => new Promise<void>((resolve) => (answer = resolve)));
    const readiness = readinessWhose(ping);
    const together = [1, 2, 3].map(() => readiness.reply(null, 0));
    answer();
    expect((await Promise.all(together)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(ping).toHaveBeenCalledTimes(1);
    const later = readiness.reply(null, 0);
    answer();
    expect((await later).status).toBe(200);
    expect(ping).toHaveBeenCalledTimes(2);
  });

  it("does not wait for a query that has been hanging for a second", async () => {
    let now = 0;
    const hanging = new Promise<void>(() => undefined);
    const ping = vi.fn<Ping>().mockReturnValueOnce(hanging).mockResolvedValue(undefined);
    const readiness = readinessWhose(ping, { stopwatch: () => now });
    void readiness.reply(null, 0);
    now = 1000;
    expect((await readiness.reply(null, 0)).status).toBe(200);
    expect(ping).toHaveBeenCalledTimes(2);
  });

  it.each([
    [null, 1, "none seen"],
    ["203.0.113.9", 1, "trusted"],
    ["203.0.113.9", 0, "untrusted"],
  ])("with %s and %i trusted proxies reports: %s", async (forwardedFor, trusted, proxies) => {
    expect(await (await answering.reply(forwardedFor, trusted)).json()).toMatchObject({ proxies });
  });
});
