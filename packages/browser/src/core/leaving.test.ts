// @vitest-environment node
import type { RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, start } from "../../fixtures/start.ts";
import { aDevice, type TestPageOptions } from "../../fixtures/test-page.ts";
import { startService, storedFor } from "../../fixtures/test-service.ts";

let service: RunningServer;
beforeAll(async () => void (service = await startService()));
afterAll(() => service.close());

const responses = "/v1/sdk/responses";
const granted = { consent: "granted" } as const;
const lost = (path: string) => (path === responses ? ("lost" as const) : undefined);

/** A person who is asked. */
async function asked(options: object, pageOptions: TestPageOptions = {}, person = newPerson()) {
  const opened = start(service.url, options, pageOptions);
  opened.afterword.identify(person);
  const survey = (await opened.ask("when-asked"))!;
  return { ...opened, survey, person };
}

describe("what waits when the page goes away", () => {
  it("is sent newest first, and kept alive as far as the browser allows", async () => {
    const { afterword, ask, tab } = start(service.url, granted, { fault: lost });
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(9000));
    for (const text of texts) {
      afterword.identify(newPerson(), { about: "x".repeat(20_000) });
      await (await ask("when-asked"))!.submit({ rating: 1, text });
      afterword.getSurvey()!.done();
      tab.now++;
    }
    const before = tab.requests.length;
    tab.fire("pagehide");
    const sent = tab.requests.slice(before).map(({ body, init }) => [body["text"], init.keepalive]);
    expect(sent).toEqual([
      [texts[2], true],
      [texts[1], true],
      [texts[0], false],
    ]);
  });

  it("is sent at once, although another tab holds its lock", async () => {
    const { survey, tab } = await asked(granted, { fault: lost });
    await survey.submit({ rating: 1 });
    Object.assign(tab.page.navigator, { locks: { request: () => new Promise(() => {}) } });
    tab.fire("pagehide");
    expect(tab.sent(responses)).toHaveLength(2);
  });

  it.each([
    ["stays where it is kept on the device", granted, 1],
    ["is sent where nothing is kept", {}, 2],
  ])("before its Retry-After has passed %s", async (_, options, requests) => {
    const busy = new Response("{}", { status: 429, headers: { "retry-after": "3600" } });
    const fault = (path: string, before: number) => (path === responses && !before ? busy : undefined);
    const { survey, tab } = await asked(options, { fault });
    await survey.submit({ rating: 1 });
    tab.fire("pagehide");
    await tab.settle();
    expect(tab.sent(responses)).toHaveLength(requests);
  });
});

describe("a rating that was chosen and not sent when the page goes away", () => {
  it("is sent without its text where nothing may be kept", async () => {
    const { survey, tab, person } = await asked({});
    survey.rate(7);
    survey.saveDraft({ rating: 7, text: "half a sen" });
    tab.fire("pagehide");
    expect(tab.sent(responses)).toHaveLength(1);
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7, text: null }]);
  });

  it("is sent where the browser denies its storage, whatever the person consents to", async () => {
    const { survey, tab, person } = await asked(granted, {
      device: { local: "blocked", session: "blocked" },
    });
    survey.rate(7);
    tab.fire("pagehide");
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("waits a minute on the device, and is then sent by the page that is there", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.rate(7);
    tab.fire("pagehide");
    await tab.settle();
    expect(tab.sent(responses)).toEqual([]);
    const next = start(service.url, granted, { device });
    next.tab.now = tab.now;
    next.afterword.identify(person);
    await next.tab.advance(59_000);
    expect(next.tab.sent(responses)).toEqual([]);
    await next.tab.advance(2000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7, text: null }]);
    await next.ask("when-asked");
    expect(next.whyNot("when-asked")).toBe("suppressed");
  });

  it("is taken back by a reload that restores the draft, however often", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.saveDraft({ rating: 7, text: "half a sen" });
    tab.fire("pagehide");
    const again = await asked(granted, { device }, person);
    again.tab.fire("pagehide");
    const last = await asked(granted, { device }, person);
    expect(last.survey.draft).toEqual({ rating: 7, text: "half a sen" });
    await last.tab.advance(3_600_000);
    expect(last.tab.sent(responses)).toEqual([]);
    await last.survey.submit({ rating: 8, text: "half a sentence" });
    await last.tab.advance(3_600_000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 8, text: "half a sentence" }]);
  });

  it("gives way to the answer that the person gives in the next page", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.rate(7);
    tab.fire("pagehide");
    const next = await asked(granted, { device }, person);
    await next.survey.submit({ rating: 2 });
    await next.tab.advance(3_600_000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 2 }]);
  });

  it.each([
    ["held", granted],
    ["sent", {}],
  ])("and that was %s is an answer when the page comes back as it was", async (_, options) => {
    const { survey, tab, told, person } = await asked(options);
    survey.rate(7);
    tab.fire("pagehide");
    tab.fire("pageshow", { persisted: true });
    await tab.settle();
    expect(told.submitted).toMatchObject([{ rating: 7, result: "stored" }]);
    await tab.advance(3_600_000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("of a preview is neither sent nor kept", async () => {
    const device = aDevice();
    const { survey, tab } = await asked({ ...granted, testMode: true }, { device });
    survey.rate(7);
    tab.fire("pagehide");
    await tab.settle();
    expect(tab.sent(responses)).toEqual([]);
    expect(JSON.stringify(device.local)).not.toContain("outbox");
  });
});
