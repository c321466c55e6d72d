// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { HeadlessSurvey } from "../../headless/open-headless.ts";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type TestPage, type TestPageOptions } from "../../../fixtures/test-page.ts";
import { mint, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

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

describe("a rating that was chosen and not sent, where nothing may be kept", () => {
  const chosen = async (pageOptions: TestPageOptions = {}, options: object = {}) => {
    const opened = await asked(options, pageOptions);
    opened.survey.rate(7);
    opened.survey.saveDraft({ rating: 7, text: "half a sen" });
    return opened;
  };
  const answer = { rating: 7, text: "half a sen" };

  it.each(["freeze", "pagehide"])("is sent with its text at %s", async (event) => {
    const { tab, person } = await chosen();
    tab.fire(event);
    expect(tab.sent(responses)).toHaveLength(1);
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([answer]);
  });

  it("is sent, whatever else waits in memory", async () => {
    const fault = (path: string, before: number) => (before ? undefined : lost(path));
    const { afterword, ask, survey, tab } = await asked({}, { fault });
    await survey.submit({ rating: 3 });
    afterword.getSurvey()!.done();
    (await ask("by-itself"))!.rate(4);
    tab.fire("pagehide");
    expect(tab.sent(responses).map(({ body }) => body["rating"])).toEqual([3, 4, 3]);
  });

  it("is sent after ten seconds hidden, because a phone may then end the page without an event", async () => {
    const { tab, person, events } = await chosen();
    await tab.turn("hidden");
    await tab.advance(9_999);
    expect(tab.sent(responses)).toEqual([]);
    await tab.advance(1);
    expect(await storedFor(service, person)).toMatchObject([answer]);
    expect(events.submitted).toMatchObject([{ rating: 7, result: "stored" }]);
    tab.fire("freeze");
    tab.fire("pagehide");
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it("stays as it is during glances at another tab", async () => {
    const { tab, survey, person } = await chosen();
    for (let glance = 0; glance < 3; glance++) {
      await tab.turn("hidden");
      await tab.advance(9_000);
      await tab.turn("visible");
      await tab.advance(9_000);
    }
    expect(tab.sent(responses)).toEqual([]);
    await survey.submit({ rating: 7, text: "half a sentence" });
    expect(await storedFor(service, person)).toMatchObject([{ text: "half a sentence" }]);
  });

  it("is sent where the browser denies its storage, whatever the person consents to", async () => {
    const { tab, person } = await chosen({ device: { local: "blocked", session: "blocked" } }, granted);
    tab.fire("pagehide");
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([answer]);
  });

  it("is kept as soon as the person consents", async () => {
    const device = aDevice();
    const { tab, person, afterword } = await chosen({ device });
    afterword.consent(true);
    await tab.settle();
    tab.kill();
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(await storedFor(service, person)).toMatchObject([answer]);
  });

  it("of a preview is neither sent nor kept", async () => {
    const device = aDevice();
    const { tab } = await chosen({ device }, { ...granted, testMode: true });
    await tab.turn("hidden");
    await tab.advance(60_000);
    tab.fire("pagehide");
    await tab.settle();
    expect(tab.sent(responses)).toEqual([]);
    expect(JSON.stringify(device.local)).not.toContain("outbox");
  });
});

describe("a rating that was chosen and not sent, where it is kept on the device", () => {
  const endings = {
    "is killed": (tab: TestPage) => tab.kill(),
    "is hidden and then killed": async (tab: TestPage) => {
      await tab.turn("hidden");
      tab.kill();
    },
    "is left": (tab: TestPage) => {
      tab.fire("pagehide");
      tab.kill();
    },
    "is left and may come back": (tab: TestPage) => tab.fire("pagehide"),
  };

  it.each(Object.entries(endings))(
    "is sent at once, with its text, by the page after the one that %s",
    async (_, end) => {
      const device = aDevice();
      const { survey, tab, person } = await asked(granted, { device });
      survey.rate(7);
      survey.saveDraft({ rating: 7, text: "half a sen" });
      await end(tab);
      expect(tab.sent(responses)).toEqual([]);
      const next = start(service.url, granted, { device });
      next.afterword.identify(person);
      await next.ask("when-asked");
      expect(await storedFor(service, person)).toMatchObject([{ rating: 7, text: "half a sen" }]);
      expect(next.whyNot("when-asked")).toBe("suppressed");
      expect(next.events.delivered).toEqual([{ surveyId: "manual" }]);
    },
  );

  it("holds up no other answer when the page is hidden", async () => {
    const fault = (path: string, before: number) =>
      path === responses && !before ? ("lost" as const) : undefined;
    const { survey, tab, ask, afterword } = await asked(granted, { fault });
    await survey.submit({ rating: 1 });
    survey.done();
    afterword.identify(newPerson());
    (await ask("when-asked"))!.rate(7);
    await tab.turn("hidden");
    expect(tab.sent(responses).map(({ body }) => body["rating"])).toEqual([1, 1]);
  });

  it("is sent although the person returns only after weeks", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.rate(7);
    tab.kill();
    const busy = new Response("{}", { status: 503 });
    const fault = (path: string, before: number) => (path === responses && !before ? busy : undefined);
    const next = start(service.url, granted, { device, fault, now: tab.now + 20 * 24 * 3_600_000 });
    await next.tab.advance(60_000);
    expect(next.events.error).toMatchObject([{ status: 503 }]);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("belongs to its page: another tab sends it once that page has ended, and not before", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.rate(7);
    const fault = (path: string, before: number) => (before ? undefined : lost(path));
    const other = start(service.url, granted, { device, fault });
    other.afterword.identify(person);
    await other.tab.turn("hidden");
    await other.tab.turn("visible");
    other.tab.fire("pagehide");
    await other.ask("when-asked");
    expect(other.whyNot("when-asked")).toBe("suppressed");
    expect(other.tab.sent(responses)).toEqual([]);
    tab.kill();
    await other.tab.settle();
    expect(other.tab.sent(responses)).toHaveLength(1);
    await other.tab.advance(60_000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("in two tabs is sent as it was chosen last", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    const other = await asked(granted, { device }, person);
    survey.rate(7);
    other.survey.rate(9);
    tab.kill();
    other.tab.kill();
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 9 }]);
  });

  it.each<[string, (tab: TestPage, survey: HeadlessSurvey) => void]>([
    ["is left", (tab) => tab.fire("pagehide")],
    ["takes its survey away", (_, survey) => survey.done()],
  ])(
    "in two tabs is sent as it was chosen last, also when the tab with the older choice %s after that",
    async (_, end) => {
      const device = aDevice();
      const { survey, tab, person } = await asked(granted, { device });
      const other = await asked(granted, { device }, person);
      survey.rate(7);
      other.survey.rate(9);
      other.tab.kill();
      end(tab, survey);
      tab.kill();
      const next = start(service.url, granted, { device });
      await next.tab.settle();
      expect(await storedFor(service, person)).toMatchObject([{ rating: 9 }]);
    },
  );

  it.each<[string, (survey: HeadlessSurvey) => void]>([
    ["leaves the survey", (survey) => survey.leave()],
    ["takes it away", (survey) => survey.done()],
  ])("is sent, although its tab was killed and another one %s without an answer", async (_, close) => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    const other = await asked(granted, { device }, person);
    survey.rate(7);
    tab.kill();
    close(other.survey);
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("is sent once by its page where the person finishes, however many tabs there are", async () => {
    const device = aDevice();
    const { survey, tab, person } = await asked(granted, { device });
    survey.rate(7);
    const other = start(service.url, granted, { device });
    await other.tab.settle();
    await survey.submit({ rating: 8, text: "done" });
    await other.tab.turn("visible");
    await other.tab.settle();
    expect([...tab.sent(responses), ...other.tab.sent(responses)]).toHaveLength(1);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 8, text: "done" }]);
  });

  it("that the page takes away unsent is not sent later", async () => {
    const device = aDevice();
    const { survey, tab } = await asked(granted, { device });
    survey.rate(7);
    survey.done();
    tab.kill();
    expect(JSON.stringify(device.local)).not.toMatch(/outbox|asked/);
  });

  it("that the page takes away does not keep the next one from being remembered", async () => {
    const device = aDevice();
    const { ask, survey, tab } = await asked(granted, { device });
    survey.rate(7);
    survey.done();
    (await ask("when-asked"))!.rate(8);
    tab.kill();
    expect(JSON.stringify(device.local)).toMatch(/outbox.*asked/);
  });

  it("gives way to an answer in another tab, which is remembered", async () => {
    const device = aDevice();
    const { shown, survey, tab, person } = await asked(granted, { device });
    const other = await asked(granted, { device, fault: lost }, person);
    survey.rate(7);
    expect(await other.survey.submit({ rating: 9 })).toBe("queued");
    await tab.settle();
    expect(shown()).toBeUndefined();
    expect(JSON.stringify(device.local)).toMatch(/asked/);
  });
});

describe("a page that comes back as it was left", () => {
  it.each([
    ["kept", granted],
    ["sent", {}],
  ])("has sent the chosen rating that was %s, with its text", async (_, options) => {
    const { survey, tab, events, person } = await asked(options);
    survey.saveDraft({ rating: 7, text: "half a sen" });
    tab.fire("pagehide");
    tab.fire("pageshow", { persisted: true });
    await tab.settle();
    expect(events.submitted).toMatchObject([{ rating: 7, result: "stored" }]);
    await tab.advance(3_600_000);
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7, text: "half a sen" }]);
  });
});

describe("an answer that is too large to outlive its page", () => {
  const large = "\u0001".repeat(10_000);
  const traits = { about: "x".repeat(8000) };

  it("is sent without traits and text, but with its rating, when the page is left", async () => {
    const { afterword, ask, tab } = start(service.url);
    const person = newPerson();
    afterword.identify(person, traits);
    (await ask("when-asked"))!.saveDraft({ rating: 7, text: large });
    tab.fire("pagehide");
    const { body, init } = tab.sent(responses)[0]!;
    expect([body["rating"], body["traits"], init.keepalive]).toEqual([7, undefined, true]);
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 7 }]);
  });

  it("and was on its way is followed by its rating alone when the page is left", async () => {
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(newPerson(), traits);
    void (await ask("when-asked"))!.submit({ rating: 7, text: large });
    tab.fire("pagehide");
    expect(tab.sent(responses).map(({ init }) => init.keepalive)).toEqual([false, true]);
    await tab.settle();
  });

  it("and waits is sent without traits, too, and with them where the page comes back", async () => {
    const { afterword, ask, tab } = start(service.url, {}, { fault: lost });
    afterword.identify(newPerson(), traits);
    await (await ask("when-asked"))!.submit({ rating: 7, text: large });
    tab.fire("pagehide");
    await tab.settle();
    tab.fire("pageshow", { persisted: true });
    tab.fire("online");
    await tab.settle();
    expect(tab.sent(responses).map(({ body, init }) => [!!body["traits"], init.keepalive])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it("is not repeated with a token that the service has refused, while another is fetched", async () => {
    let leave = () => {};
    const fault = (path: string, before: number) => {
      if (path === responses && !before) return new Response("{}", { status: 401 });
      if (path === "/v1/sdk/bootstrap" && before) leave();
      return undefined;
    };
    const { afterword, ask, tab } = start(service.url, {}, { fault });
    afterword.identify(newPerson(), traits);
    const survey = await ask("when-asked");
    leave = () => tab.fire("pagehide");
    expect(await survey!.submit({ rating: 7, text: large })).toBe("stored");
    expect(tab.sent(responses)).toHaveLength(2);
  });

  it("leaves its text out where others under way have used up what the browser allows", async () => {
    const { afterword, tab } = start(service.url, {}, { fault: lost });
    for (const letter of ["a", "b", "c"]) {
      afterword.identify(newPerson(), { about: letter.repeat(25_000) });
      const run = await mint(service, "inline", newPerson(), `run-${letter}`);
      void afterword.rate(run, { rating: 1, text: letter.repeat(9000) }, { delayInMs: 60_000 });
    }
    await tab.settle();
    await tab.turn("hidden");
    const sent = tab.sent(responses).slice(0, 3);
    const context = sent.map(({ body, init }) => [!!body["traits"], !!body["text"], init.keepalive]);
    expect(context).toEqual([
      [true, true, true],
      [false, true, true],
      [false, true, true],
    ]);
  });
});
