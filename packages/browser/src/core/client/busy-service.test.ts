// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { useService } from "../../../fixtures/test-service.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";

/** A page whose first bootstraps get these replies; later ones reach the service. */
function startBusy(replies: (() => Response)[], options = {}, pageOptions = {}) {
  const fault = (path: string, before: number) => (path === bootstrap ? replies[before]?.() : undefined);
  return start(service.url, options, { fault, ...pageOptions });
}

const busy =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response("{}", { status, headers });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

describe("a service that is busy", () => {
  it.each([
    ["429 with seconds", 429, { "retry-after": "30" }, 30],
    ["503 with seconds", 503, { "retry-after": "30" }, 30],
    ["503 with a date", 503, { "retry-after": inSeconds(30), "date": inSeconds(0) }, 30],
    [
      "503 with a date, where the page cannot read the reply's own",
      503,
      { "retry-after": inSeconds(30) },
      60,
    ],
    ["429 without a time", 429, {}, 60],
    ["429 with five minutes", 429, { "retry-after": "300" }, 300],
  ] as const)("is asked once more after %s, and then asks as if nothing had been", async (...given) => {
    const [, status, headers, seconds] = given;
    const { tab, shown } = startBusy([busy(status, headers)], {}, { chance: 0 });
    await tab.advance(seconds * 1000 - 1);
    expect(tab.sent(bootstrap)).toHaveLength(1);
    await tab.advance(1);
    expect(tab.sent(bootstrap)).toHaveLength(2);
    expect(shown()).toBe("by-itself");
  });

  it("is asked up to 20 % later, at random, so that an office does not ask at the same time", async () => {
    const { tab } = startBusy([busy(429, { "retry-after": "100" })], {}, { chance: 0.999 });
    await tab.advance(119_800);
    expect(tab.sent(bootstrap)).toHaveLength(1);
    await tab.advance(200);
    expect(tab.sent(bootstrap)).toHaveLength(2);
  });

  it.each([
    ["a second time", [busy(429, { "retry-after": "2" }), busy(429, { "retry-after": "2" })], 2],
    ["for more than five minutes", [busy(429, { "retry-after": "301" })], 1],
    ["with 503 and no time", [busy(503)], 1],
    ["with 500", [busy(500, { "retry-after": "2" })], 1],
  ] as const)("is not asked again by itself if it refuses %s", async (_, replies, requests) => {
    const { tab } = startBusy([...replies]);
    await tab.advance(3_600_000);
    expect(tab.sent(bootstrap)).toHaveLength(requests);
  });

  it("is not asked by a page that was left or shut down meanwhile", async () => {
    const { tab, afterword } = startBusy([busy(429, { "retry-after": "2" })]);
    await tab.settle();
    afterword.destroy();
    await tab.advance(10_000);
    expect(tab.sent(bootstrap)).toHaveLength(1);
  });

  it("is not asked again for a person who has left: the next one has a request of their own", async () => {
    const { tab, afterword } = startBusy([busy(429, { "retry-after": "2" })]);
    await tab.settle();
    afterword.identify("next");
    await tab.advance(10_000);
    expect(tab.sent(bootstrap).map(({ body }) => body["userId"])).toEqual([expect.any(String), "next"]);
  });

  it("asks after all for the survey that was asked for, told once why it does not show yet", async () => {
    const { tab, afterword, shown, events } = startBusy([busy(429, { "retry-after": "30" })]);
    afterword.identify(newPerson());
    afterword.ask("when-asked");
    await tab.settle();
    afterword.resolve();
    await tab.settle();
    expect(events.notShown).toEqual([{ slug: "when-asked", reason: "rate-limited" }]);
    await tab.advance(36_000);
    expect(shown()).toBe("when-asked");
  });

  it("does not bring back a survey that was closed or replaced while it waited", async () => {
    const { tab, afterword, shown } = startBusy([busy(429, { "retry-after": "30" })]);
    afterword.identify(newPerson());
    afterword.ask("when-asked");
    await tab.settle();
    afterword.ask("for-pros");
    await tab.settle();
    afterword.close();
    await tab.advance(36_000);
    expect(shown()).not.toBe("when-asked");
  });
});

describe("the reason", () => {
  it.each([
    ["rate-limited", 429],
    ["unavailable", 503],
    ["unavailable", 500],
    ["unavailable", 502],
    ["unreachable", 404],
  ] as const)("is %s for %i", async (reason, status) => {
    const { ask, whyNot } = startBusy([busy(status), busy(status)]);
    await ask("when-asked");
    expect(whyNot("when-asked")).toBe(reason);
  });

  it.each([
    ["private-network", "https://shop.example"],
    ["unreachable", "http://localhost:3000"],
    ["unreachable", undefined],
  ])("is %s if a page at %s gets no reply of a service at 127.0.0.1", async (reason, url) => {
    const { ask, whyNot, events } = start(service.url, {}, { fault: () => "lost", url });
    await ask("when-asked");
    expect(whyNot("when-asked")).toBe(reason);
    expect(events.error[0]!.message.includes("127.0.0.1 is private")).toBe(reason === "private-network");
  });

  it("leads to the page about limits in the console, and does not blame the address", async () => {
    const { tab, ask } = startBusy([busy(429)], { debug: true });
    await ask("when-asked");
    expect(tab.lines.join()).toContain("docs/reference/limits.md");
    expect(tab.lines.join()).not.toContain("baseUrl");
  });
});
