import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Shop, shopKeys } from "../commands/shop.fixture.ts";
import { type ServerEvent } from "../audit/audit-trail.ts";

const minuteInMs = 60_000;
const hourInMs = 60 * minuteInMs;
const dayInMs = 24 * hourInMs;

describe("a clock that is wrong for a while", () => {
  let [uptime, skew] = [0, 0];
  const clock = {
    now: () => Date.parse("2026-11-22T12:00:00.000Z") + uptime + skew,
    monotonic: () => uptime,
  };
  const events: ServerEvent[] = [];
  const warnings = () => events.flatMap((event) => (event.kind === "warning" ? [event.message] : []));

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    [uptime, skew] = [0, 0];
    events.length = 0;
  });
  afterEach(() => void vi.useRealTimers());

  /** A running server whose work in the background is due whenever the test lets time pass. */
  async function openShop() {
    const retention = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
    const emit = (event: ServerEvent) => void events.push(event);
    const shop = await Shop.open({ clock, retention, events: { emit }, admin: { port: 0 } });
    const pass = async (milliseconds: number) => {
      for (const end = uptime + milliseconds; uptime < end;) {
        const step = Math.min(hourInMs, end - uptime);
        uptime += step;
        await vi.advanceTimersByTimeAsync(step);
        // What the timers began ends before the server answers this.
        await fetch(`${shop.server.url}/readyz`);
      }
    };
    const metric = async (name: string) => {
      const text = await (await fetch(`${shop.server.adminUrl}/metrics`)).text();
      return text.split("\n").find((line) => line.startsWith(`${name} `));
    };
    return Object.assign(shop, { pass, metric });
  }

  const spend = async (shop: Shop, showToken: string) => {
    const body = { key: shopKeys.publishable, showToken, surveyId: "satisfaction", rating: 4 };
    return (await shop.call("POST", "/v1/sdk/responses", body)).status;
  };

  it("does not make the server forget spent tokens: no token gets a second 201", async () => {
    await using shop = await openShop();
    const showToken = await shop.mint({ respondentId: "ada" });
    expect(await spend(shop, showToken)).toBe(201);
    await shop.pass(hourInMs);
    for (const ahead of [hourInMs - minuteInMs, 8 * dayInMs, 3 * 365 * dayInMs]) {
      skew = ahead;
      await shop.pass(20 * minuteInMs);
      skew = 0;
      expect(await spend(shop, showToken)).toBe(409);
      await shop.pass(20 * minuteInMs);
    }
  });

  it("does not make retention delete rows; the log warns, and a metric shows that deletions are held", async () => {
    await using shop = await openShop();
    await shop.answer({ respondentId: "ada", text: "kept" });
    await shop.pass(2 * hourInMs);
    expect(await shop.metric("afterword_deletions_held")).toBe("afterword_deletions_held 0");
    skew = 3 * 365 * dayInMs;
    await shop.pass(5 * hourInMs);
    expect(await shop.metric("afterword_deletions_held")).toBe("afterword_deletions_held 1");
    expect(warnings()).toEqual([expect.stringContaining("retention --clock-is-right")]);
    skew = 0;
    await shop.pass(hourInMs);
    expect(await shop.metric("afterword_deletions_held")).toBe("afterword_deletions_held 0");
    expect(await shop.export()).toMatchObject([{ text: "kept" }]);
  });
});
