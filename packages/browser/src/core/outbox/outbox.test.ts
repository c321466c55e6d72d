// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type Fault, OwnChannel, type TestPageOptions } from "../../../fixtures/test-page.ts";
import {
  mint,
  pendingSessions,
  publishableKey,
  useService,
  storedFor,
} from "../../../fixtures/test-service.ts";

const service = useService();

const responses = "/v1/sdk/responses";
const dismissals = "/v1/dismissals";
const granted = { consent: "granted" } as const;
const refusal = (status: number, body = "{}", headers = {}) => new Response(body, { status, headers });
const busy = () => refusal(429, "{}", { "retry-after": "120" });

/** A fault for the first tries of one path, then none. */
function first(path: string, ...faults: (Fault | undefined)[]): TestPageOptions["fault"] {
  return (asked, before) => (asked === path ? faults[before] : undefined);
}
const always = (path: string, fault: () => Fault): TestPageOptions["fault"] => {
  return (asked) => (asked === path ? fault() : undefined);
};

/** A person who answers. */
async function answered(pageOptions: TestPageOptions = {}, person = newPerson(), options: object = granted) {
  const opened = start(service.url, options, pageOptions);
  opened.afterword.identify(person);
  const survey = await opened.ask("when-asked");
  const result = await survey!.submit({ rating: 6, text: "words" });
  return { ...opened, survey: survey!, result, person };
}

describe("an answer", () => {
  it("is on the device before it is sent, and deleted once it is stored", async () => {
    const device = aDevice();
    let duringRequest = "";
    const fault = (path: string) => {
      if (path === responses) duringRequest = JSON.stringify(device.local);
      return undefined;
    };
    const { result } = await answered({ device, fault });
    expect(duringRequest).toContain("words");
    expect(result).toBe("stored");
    expect(JSON.stringify(device)).not.toContain("words");
  });

  it("that is too long to outlive the page is sent all the same", async () => {
    const { afterword, tab, ask } = start(service.url);
    afterword.identify(newPerson(), { about: "x".repeat(8000) });
    const survey = await ask("when-asked");
    expect(await survey!.submit({ rating: 1, text: "\u0001".repeat(10_000) })).toBe("stored");
    expect(tab.sent(responses)[0]!.init.keepalive).toBe(false);
  });

  it("is cut to what the service takes, by code points", async () => {
    const person = newPerson();
    const { afterword, ask } = start(service.url);
    afterword.identify(person);
    expect(await (await ask("when-asked"))!.submit({ rating: 1, text: "🙂".repeat(10_001) })).toBe("stored");
    expect([...(await storedFor(service, person))[0]!.text!]).toHaveLength(10_000);
  });

  it("is sent again when a 409 is cut off, which may say that another answer is stored", async () => {
    const cut = new ReadableStream({ start: (body) => body.error(new TypeError("terminated")) });
    const { tab, result } = await answered({ fault: first(responses, new Response(cut, { status: 409 })) });
    expect(result).toBe("queued");
    await tab.advance(60_000);
    expect(tab.sent(responses).length).toBeGreaterThan(1);
  });

  it("is sent once, however often it is submitted", async () => {
    const { survey, tab } = await answered();
    await Promise.all([survey.submit({ rating: 1 }), survey.submit({ rating: 2 })]);
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it("keeps blank text to itself", async () => {
    const { ask, tab } = start(service.url);
    await (await ask("when-asked"))!.submit({ rating: 3, text: " \n ", followUpRequested: false });
    expect(tab.sent(responses)[0]!.body).not.toHaveProperty("text");
    expect(tab.sent(responses)[0]!.body).not.toHaveProperty("followUpRequested");
  });
});

describe("closing", () => {
  it("without a rating sends a dismissal", async () => {
    const { ask, tab, events } = start(service.url);
    (await ask("when-asked"))!.dismiss();
    await tab.settle();
    expect(tab.sent(dismissals)).toHaveLength(1);
    expect(events.dismissed).toEqual([{ surveyId: "manual", slug: "when-asked" }]);
  });

  it("after a rating was chosen sends that rating, without the text, and no dismissal", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(person);
    const survey = await ask("when-asked");
    survey!.rate(2);
    survey!.rate(9);
    survey!.saveDraft({ rating: 9, text: "unfinished" });
    survey!.dismiss();
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 9, text: null }]);
    expect(tab.sent(dismissals)).toEqual([]);
  });

  it("by the page sends a rating that was chosen, too", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url);
    afterword.identify(person);
    (await ask("when-asked"))!.rate(4);
    afterword.close();
    await tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 4 }]);
  });

  it("once an answer has begun sends nothing more", async () => {
    const { survey, tab } = await answered();
    survey.dismiss();
    await tab.settle();
    expect(tab.sent(dismissals)).toEqual([]);
  });

  it("a dismissal is kept and sent again like an answer", async () => {
    const device = aDevice();
    const person = newPerson();
    const opened = start(service.url, granted, { device, fault: first(dismissals, "lost") });
    opened.afterword.identify(person);
    (await opened.ask("when-asked"))!.dismiss();
    await opened.tab.advance(60_000);
    expect(opened.tab.sent(dismissals)).toHaveLength(2);
    expect(opened.events.delivered).toEqual([{ surveyId: "manual" }]);
    expect(JSON.stringify(device.local)).not.toContain("outbox");
  });
});

describe("words without a rating yet", () => {
  it("survive a reload where the person has consented, and are gone once the answer is given", async () => {
    const device = aDevice();
    const person = newPerson();
    const before = start(service.url, granted, { device });
    before.afterword.identify(person);
    (await before.ask("when-asked"))!.saveDraft({ text: "half a sen" });
    const after = start(service.url, granted, { device });
    after.afterword.identify(person);
    const survey = await after.ask("when-asked");
    expect(survey!.draft).toEqual({ text: "half a sen" });
    await survey!.submit({ rating: 8, text: "half a sentence" });
    expect(device.session).toEqual({});
  });

  it("are in the tab's own storage, never in the device's", async () => {
    const device = aDevice();
    const { ask } = start(service.url, granted, { device });
    (await ask("when-asked"))!.saveDraft({ text: "half a sen" });
    expect(JSON.stringify(device.local)).not.toContain("half a sen");
    expect(JSON.stringify(device.session)).toContain("half a sen");
  });

  it("stay in memory without consent", async () => {
    const device = aDevice();
    const { ask } = start(service.url, {}, { device });
    (await ask("when-asked"))!.saveDraft({ text: "half a sen" });
    expect(device).toEqual({ local: {}, session: {} });
  });

  it("that cannot be read count as none", async () => {
    const device = aDevice();
    const person = newPerson();
    const before = start(service.url, granted, { device });
    before.afterword.identify(person);
    (await before.ask("when-asked"))!.saveDraft({ text: "x" });
    for (const name of Object.keys(device.session)) (device.session as Storage)[name] = "{broken";
    const after = start(service.url, granted, { device });
    after.afterword.identify(person);
    expect((await after.ask("when-asked"))!.draft).toEqual({});
  });
});

describe("when the service cannot be reached", () => {
  it("the answer is queued, then sent again with growing, random delays", async () => {
    const { tab, result, person, events } = await answered({
      fault: first(responses, "lost", "lost"),
      chance: 0.5,
    });
    expect(result).toBe("queued");
    expect(events.submitted).toMatchObject([{ result: "queued" }]);
    await tab.advance(999);
    expect(tab.sent(responses)).toHaveLength(1);
    await tab.advance(1);
    expect(tab.sent(responses)).toHaveLength(2);
    await tab.advance(1999);
    expect(tab.sent(responses)).toHaveLength(2);
    await tab.advance(1);
    expect(tab.sent(responses)).toHaveLength(3);
    expect(await storedFor(service, person)).toHaveLength(1);
    expect(events.delivered).toEqual([{ surveyId: "manual" }]);
  });

  it.each([
    ["stored", 503],
    ["refused", 404],
  ])("the view hears what becomes of it in the end: %s", async (end, status) => {
    const faults = [refusal(503), refusal(503), refusal(status)];
    const { tab, ask } = start(service.url, granted, { fault: first(responses, ...faults) });
    const heard: string[] = [];
    const result = await (await ask("when-asked"))!.submit({ rating: 6 }, (later) => heard.push(later));
    expect([result, heard]).toEqual(["queued", []]);
    await tab.advance(60_000);
    expect([heard[0], heard.at(-1)]).toEqual(["queued", end]);
  });

  it("it is tried six times by itself and no more, until the network is back", async () => {
    const { tab } = await answered({ fault: always(responses, () => "lost") });
    await tab.advance(24 * 3_600_000);
    expect(tab.sent(responses)).toHaveLength(6);
    tab.fire("online");
    await tab.advance(24 * 3_600_000);
    expect(tab.sent(responses)).toHaveLength(12);
  });

  it("it is tried at once when the network is back, or the person, or the page goes away", async () => {
    const { tab } = await answered({ fault: always(responses, () => "lost"), chance: 0.999 });
    tab.fire("online");
    await tab.settle();
    await tab.turn("hidden");
    tab.fire("pagehide");
    await tab.settle();
    expect(tab.sent(responses)).toHaveLength(4);
  });

  it("that is told once, not at each try and not for each answer", async () => {
    const { ask, tab, events, survey } = await answered({ fault: always(responses, () => "lost") });
    survey.done();
    await (await ask("by-itself"))!.submit({ rating: 2 });
    await tab.advance(3_600_000);
    expect(events.error).toMatchObject([{ code: "network" }]);
  });

  it("that is told again once an answer was stored in between", async () => {
    const fault = first(responses, "lost", undefined, "lost");
    const { ask, tab, events, survey } = await answered({ fault });
    tab.fire("online");
    await tab.advance(60_000);
    survey.done();
    await (await ask("by-itself"))!.submit({ rating: 2 });
    await tab.settle();
    expect(events.error).toMatchObject([{ code: "network" }, { code: "network" }]);
  });

  it("many answers that wait have as many tries as one", async () => {
    const device = aDevice();
    const fault = always(responses, () => "lost");
    const before = start(service.url, granted, { device, fault });
    for (let count = 0; count < 8; count++) {
      before.afterword.identify(newPerson());
      await (await before.ask("when-asked"))!.submit({ rating: 1 });
      before.afterword.getSurvey()!.done();
      before.tab.now++;
    }
    before.afterword.destroy();
    const { tab } = start(service.url, granted, { device, fault });
    await tab.advance(24 * 3_600_000);
    // Tries as JSON come on top as long as the service has not understood text.
    expect(
      tab.sent(responses).filter(({ init }) => !new Headers(init.headers).has("content-type")),
    ).toHaveLength(8 * 6);
  });

  it("an answer on the device that cannot be read holds up no other", async () => {
    const device = aDevice();
    const { person, afterword } = await answered({ device, fault: always(responses, () => "lost") });
    afterword.destroy();
    const [name] = Object.keys(device.local).filter((key) => key.includes("outbox:"));
    (device.local as Storage)[`${name}-broken`] = "{broken";
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(await storedFor(service, person)).toHaveLength(1);
    expect(next.events.error).toEqual([]);
    next.afterword.identify(newPerson());
    (await next.ask("when-asked"))!.rate(4);
    await next.tab.settle();
    expect(next.events.error).toEqual([]);
  });

  it("it survives a reload and is sent by the next page", async () => {
    const device = aDevice();
    const { person } = await answered({ device, fault: always(responses, () => "lost") });
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(await storedFor(service, person)).toMatchObject([{ rating: 6, text: "words" }]);
    expect(next.events.delivered).toEqual([{ surveyId: "manual" }]);
    expect(JSON.stringify(device.local)).not.toContain("words");
  });

  it("without consent it waits in memory, and is sent as long as the page lives", async () => {
    const device = aDevice();
    const { tab, person } = await answered({ device, fault: first(responses, "lost") }, newPerson(), {});
    expect(device).toEqual({ local: {}, session: {} });
    await tab.advance(60_000);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("answers that wait are sent oldest first, in whatever order the browser lists them", async () => {
    const device = aDevice();
    const fault = always(responses, () => "lost");
    const { afterword, ask, tab } = start(service.url, granted, { device, fault });
    for (const rating of [1, 2]) {
      afterword.identify(newPerson());
      await (await ask("when-asked"))!.submit({ rating });
      afterword.getSurvey()!.done();
      tab.now++;
    }
    tab.kill();
    const local = Object.fromEntries(Object.entries(device.local).toReversed()) as unknown as Storage;
    const next = start(service.url, granted, { device: { ...device, local } });
    await next.tab.settle();
    expect(next.tab.sent(responses).map(({ body }) => body["rating"])).toEqual([1, 2]);
  });
});

const inFiveMinutes = () => new Date(Date.now() + 300_000).toUTCString();

/** A page whose clock is off by so many days, and whose answer is first met with 503 and these headers. */
async function answeredByClock(offsetInDays: number, headers: Record<string, string>) {
  const now = Date.now() + offsetInDays * 24 * 3_600_000;
  const { tab } = await answered({ now, fault: first(responses, refusal(503, "{}", headers)) });
  return tab;
}

describe("what the service answers", () => {
  it("Retry-After is obeyed by the page after a reload, which sends by itself when the time has come", async () => {
    const device = aDevice();
    const { afterword, tab } = await answered({ device, fault: first(responses, busy()) });
    afterword.destroy();
    const next = start(service.url, granted, { device });
    next.tab.now = tab.now;
    await next.tab.advance(119_000);
    expect(next.tab.sent(responses)).toEqual([]);
    await next.tab.advance(2000);
    expect(next.events.delivered).toEqual([{ surveyId: "manual" }]);
  });

  it("a Retry-After of one answer delays no other, and is not forgotten over it", async () => {
    const fault = first(responses, busy(), "lost", undefined, "lost");
    const { afterword, ask, tab, survey, events } = await answered({ fault });
    survey.done();
    await (await ask("by-itself"))!.submit({ rating: 2 });
    expect(afterword.getSurvey()).toBeDefined();
    await tab.advance(60_000);
    expect(events.delivered).toEqual([{ surveyId: "auto" }]);
    // Once it may be tried, it begins with the shortest delay.
    await tab.advance(62_000);
    expect(events.delivered).toEqual([{ surveyId: "auto" }, { surveyId: "manual" }]);
  });

  it("a Retry-After of one answer delays none that was lost before", async () => {
    const { ask, tab, survey, events } = await answered({ fault: first(responses, "lost", busy()) });
    survey.done();
    await (await ask("by-itself"))!.submit({ rating: 2 });
    await tab.advance(60_000);
    expect(events.delivered).toEqual([{ surveyId: "manual" }]);
  });

  it("a Retry-After of months is no reason to ask again at once", async () => {
    const busy = refusal(429, "{}", { "retry-after": "9999999" });
    const { tab } = await answered({ fault: always(responses, () => busy) });
    await tab.advance(3_600_000);
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it.each([
    ["right", 0],
    ["years behind", -3 * 365],
    ["years ahead", 3 * 365],
  ])("a Retry-After date counts from the reply's own date, if the person's clock is %s", async (_, days) => {
    const headers = { "retry-after": inFiveMinutes(), "date": new Date().toUTCString() };
    const tab = await answeredByClock(days, headers);
    await tab.advance(298_000);
    expect(tab.sent(responses)).toHaveLength(1);
    await tab.advance(3_000);
    expect(tab.sent(responses)).toHaveLength(2);
  });

  it.each([
    ["right", 0],
    ["years behind", -3 * 365],
    ["years ahead", 3 * 365],
  ])(
    "a Retry-After date without a readable date beside it is a minute, if the clock is %s",
    async (_, days) => {
      const tab = await answeredByClock(days, { "retry-after": inFiveMinutes() });
      await tab.advance(59_000);
      expect(tab.sent(responses)).toHaveLength(1);
      await tab.advance(1_001);
      expect(tab.sent(responses)).toHaveLength(2);
    },
  );

  it.each([408, 425, 429, 500, 502, 503, 504])("%i is tried again", async (status) => {
    const { tab, person, result } = await answered({ fault: first(responses, refusal(status)) });
    expect(result).toBe("queued");
    await tab.advance(60_000);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it.each([401, 403, 404, 410, 413, 422])(
    "%i is for good: it is told, and nothing is kept",
    async (status) => {
      const device = aDevice();
      const fault = always(responses, () => refusal(status));
      const { tab, result, events } = await answered({ device, fault });
      expect(result).toBe("refused");
      await expect.poll(() => events.error).toMatchObject([{ status, code: "refused" }]);
      expect(events.submitted).toEqual([]);
      await tab.advance(3_600_000);
      expect(JSON.stringify(device.local)).not.toContain("outbox");
    },
  );

  it("409 is success if an earlier try of the same answer was lost on its way back", async () => {
    const { tab, person, result, events } = await answered({ fault: first(responses, "reply-lost") });
    expect(result).toBe("queued");
    await tab.advance(60_000);
    expect(tab.sent(responses)).toHaveLength(2);
    expect(events.delivered).toEqual([{ surveyId: "manual" }]);
    expect(events.error).toMatchObject([{ code: "network" }]);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("409 is success too if the page was gone before the reply came", async () => {
    const device = aDevice();
    const { person } = await answered({ device, fault: first(responses, "reply-lost") });
    const next = start(service.url, granted, { device });
    await next.tab.settle();
    expect(next.events).toMatchObject({ delivered: [{ surveyId: "manual" }], error: [] });
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("409 at the first try, without a word about the answer, is that of another answer", async () => {
    const { result, events } = await answered({ fault: first(responses, refusal(409)) });
    expect(result).toBe("already");
    expect(events).toMatchObject({ submitted: [], error: [] });
  });

  it("409 at the first try is success if the service says that it has this answer: browsers repeat requests", async () => {
    const existing = { id: "r1", at: "", kind: "response", isSame: true };
    const same = refusal(409, JSON.stringify({ code: "token_used", existing }));
    const { result, events } = await answered({ fault: first(responses, same) });
    expect(result).toBe("stored");
    expect(events).toMatchObject({ submitted: [{ result: "stored" }], error: [] });
  });

  it.each([
    ["stored", "no reply", (): Fault => "lost"],
    ["stored", "the page of a proxy", (): Fault => refusal(403, "<p>Sign in")],
    ["already", "a refusal of the form", (): Fault => refusal(415)],
  ] as const)("409 to the same body as JSON is %s after %s", async (result, _, before) => {
    const fault = first(responses, before(), refusal(409));
    const { tab, afterword } = start(service.url, { consent: "required" }, { fault });
    afterword.consent(true);
    const given = afterword.rate({ surveyId: "inline", token: "st2.x", sessionId: "s" }, { rating: 5 });
    await tab.settle();
    expect(await given).toBe(result);
  });

  it("409 that names another answer is told to the view alone: nothing was submitted, and nothing went wrong", async () => {
    const existing = { id: "r1", at: "", kind: "response", isSame: false };
    const another = refusal(409, JSON.stringify({ code: "token_used", existing }));
    const device = aDevice();
    const { result, events, tab } = await answered({ device, fault: first(responses, another) });
    await tab.settle();
    expect([result, events.submitted, events.error]).toEqual(["already", [], []]);
    expect(JSON.stringify(device)).not.toContain("words");
  });

  it("409 for a dismissal that came first is no success", async () => {
    const existing = JSON.stringify({ code: "token_used", existing: { id: "d", at: "", kind: "dismissal" } });
    const { tab, events } = await answered({ fault: first(responses, "lost", refusal(409, existing)) });
    await tab.advance(60_000);
    expect(events.delivered).toEqual([]);
    expect(events.error.at(-1)).toMatchObject({ code: "token_used" });
  });

  it("an expired token is exchanged for a new one, once, and the answer is stored", async () => {
    const { tab, person, result } = await answered({ fault: first(responses, refusal(401)) });
    expect(result).toBe("stored");
    expect(tab.sent("/v1/sdk/bootstrap").map(({ body }) => body["userId"])).toEqual([person, person]);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it.each([
    ["500", () => refusal(500)],
    ["401", () => refusal(401)],
    ["a login page", () => refusal(200, "<html>")],
    ["nothing", () => "lost" as const],
  ])("a renewal that is answered with %s keeps the answer", async (_, fault) => {
    const { tab, person, result } = await answered({
      fault(path, before) {
        if (path === responses) return before === 0 ? refusal(401) : undefined;
        return before === 1 ? fault() : undefined;
      },
    });
    expect(result).toBe("queued");
    await tab.advance(60_000);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("while the service asks a renewal to wait, no other answer asks for one", async () => {
    const fault = (path: string, before: number) =>
      path === responses ? (before < 2 ? refusal(401) : undefined) : before === 1 ? busy() : undefined;
    const { ask, tab, survey, person } = await answered({ fault });
    survey.done();
    await (await ask("by-itself"))!.submit({ rating: 2 });
    await tab.advance(119_000);
    expect(tab.sent("/v1/sdk/bootstrap")).toHaveLength(2);
    await tab.advance(2000);
    expect(await storedFor(service, person)).toHaveLength(2);
  });

  it("a token that was renewed once may expire once more", async () => {
    const device = aDevice();
    const faults = [refusal(401), "lost", refusal(401)] as const;
    const { tab, person } = await answered({ device, fault: first(responses, ...faults) });
    await tab.advance(60_000);
    expect(tab.sent(responses)).toHaveLength(4);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("a renewal that gives no token ends it", async () => {
    const gated = Response.json({ surveys: [], suppression: ["manual"] });
    const fault = (path: string, before: number) =>
      path === responses ? refusal(401) : before ? gated : undefined;
    const { result, events } = await answered({ fault });
    expect(result).toBe("refused");
    await expect.poll(() => events.error).toMatchObject([{ status: 401 }]);
  });

  it("a session-bound token is exchanged for no other", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url, {}, { fault: first(responses, refusal(401)) });
    afterword.identify(person);
    afterword.install(await mint(service, "manual", person, "run-expired"));
    expect(await (await ask("when-asked"))!.submit({ rating: 1 })).toBe("refused");
    expect(tab.sent("/v1/sdk/bootstrap")).toHaveLength(1);
    expect(await pendingSessions(service)).not.toContain("run-expired");
  });
});

describe("what version 0.1 has left on a device", () => {
  it.each([
    ["a queued answer", {}],
    ["a rating that its page held", { heldAs: "asked:any" }],
  ])("%s is sent once, and deleted", async (_, rest) => {
    const device = aDevice();
    const person = newPerson();
    const { token, ...run } = await mint(service, "inline", person, "run-of-before");
    const body = { userId: person, surveyId: run.surveyId, showToken: token, rating: 2, sdk: "js" };
    const left = { path: responses, body, isBound: true, at: Date.now(), notBefore: 0, ...rest };
    (device.local as Record<string, string>)[`afterword:${publishableKey}:outbox:1-a`] = JSON.stringify(left);
    const { tab } = start(service.url, granted, { device });
    await tab.settle();
    await expect.poll(() => storedFor(service, person)).toMatchObject([{ rating: 2 }]);
    expect(tab.sent(responses)).toHaveLength(1);
    await expect.poll(() => JSON.stringify(device.local)).not.toContain("outbox:");
  });
});

describe("several tabs", () => {
  const twoTabs = (fault?: TestPageOptions["fault"]) => {
    const device = aDevice();
    const person = newPerson();
    const tabs = [1, 2].map(() => {
      const opened = start(service.url, granted, { device, fault });
      opened.afterword.identify(person);
      return opened;
    });
    return { device, person, here: tabs[0]!, there: tabs[1]! };
  };

  it("an answer in one closes the same survey in the others, and sends nothing there", async () => {
    const { here, there, person } = twoTabs();
    await here.ask("when-asked");
    await there.ask("when-asked");
    await here.afterword.getSurvey()!.submit({ rating: 10 });
    await expect.poll(() => there.shown()).toBeUndefined();
    expect(there.events.closed).toHaveLength(1);
    expect(there.tab.sent(responses)).toEqual([]);
    expect(there.tab.sent(dismissals)).toEqual([]);
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("a dismissal in one closes the same survey in the others, and sends the rating that was chosen there", async () => {
    const { here, there, person } = twoTabs();
    await here.ask("when-asked");
    (await there.ask("when-asked"))!.rate(9);
    here.afterword.getSurvey()!.dismiss();
    await expect.poll(() => there.shown()).toBeUndefined();
    await there.tab.settle();
    expect(there.tab.sent(responses)).toMatchObject([{ body: { userId: person, rating: 9 } }]);
    expect(there.tab.sent(dismissals)).toEqual([]);
  });

  it("an answer that another one has delivered before its reply comes is stored", async () => {
    const device = aDevice();
    const fault = (path: string) => {
      const local = device.local as Record<string, string>;
      for (const name of Object.keys(local))
        if (path === responses && name.includes(":outbox:")) delete local[name];
      return undefined;
    };
    const { result, person } = await answered({ device, fault });
    expect(result).toBe("stored");
    expect(await storedFor(service, person)).toHaveLength(1);
  });

  it("where the browser denies them a channel, a survey is shown and answered all the same", async () => {
    const { afterword, tab } = start(service.url);
    tab.page.BroadcastChannel = function denied() {
      throw new DOMException("denied", "SecurityError");
    } as unknown as typeof BroadcastChannel;
    await tab.settle();
    expect(await afterword.getSurvey()?.submit({ rating: 5 })).toBe("stored");
    expect(tab.sent(responses)).toHaveLength(1);
  });

  it("a page in the back-forward cache has no channel open, and closes its survey if it was answered meanwhile", async () => {
    const { here, there } = twoTabs();
    let openChannels = 0;
    there.tab.page.BroadcastChannel = class extends OwnChannel {
      constructor(name: string) {
        super(name);
        openChannels += 1;
      }
      override close() {
        super.close();
        openChannels -= 1;
      }
    };
    await here.ask("when-asked");
    await there.ask("when-asked");
    there.tab.fire("pagehide", { persisted: true });
    expect(openChannels).toBe(0);
    there.tab.fire("pageshow", { persisted: true });
    expect(openChannels).toBe(1);
    expect(there.shown()).toBe("when-asked");
    there.tab.fire("pagehide", { persisted: true });
    await here.afterword.getSurvey()!.submit({ rating: 10 });
    expect(there.shown()).toBe("when-asked");
    there.tab.fire("pageshow", { persisted: true });
    await expect.poll(() => there.shown()).toBeUndefined();
    expect(openChannels).toBe(0);
    expect([...there.tab.sent(responses), ...there.tab.sent(dismissals)]).toEqual([]);
  });

  it.each([[null], ["text"], [{ 0: "asked:1" }], [[]], [[null]]])(
    "what other code of the site says on their channel is ignored: %j",
    async (junk) => {
      const { here } = twoTabs();
      const survey = await here.ask("when-asked");
      const channel = new OwnChannel(`afterword:${publishableKey}`);
      const failed = vi.fn<() => void>();
      process.once("uncaughtException", failed);
      for (let times = 0; times < 2; times++) channel["postMessage"](junk);
      await here.tab.settle();
      process.off("uncaughtException", failed);
      channel.close();
      expect(failed).not.toHaveBeenCalled();
      expect(here.shown()).toBe("when-asked");
      survey!.done();
    },
  );

  it("an answer leaves another survey in another tab alone", async () => {
    const { here, there } = twoTabs();
    await here.ask("when-asked");
    await there.ask("by-itself");
    await here.afterword.getSurvey()!.submit({ rating: 10 });
    await there.tab.settle();
    expect(there.shown()).toBe("by-itself");
  });

  it("what one of them sends is sent by no other meanwhile", async () => {
    const { here, there } = twoTabs();
    await there.ask("by-itself");
    const survey = await here.ask("when-asked");
    const { fetch } = here.tab.page;
    here.tab.page.fetch = async (...request) => {
      await new Promise(setImmediate);
      there.tab.fire("online");
      await there.tab.settle();
      return fetch(...request);
    };
    expect(await survey!.submit({ rating: 3 })).toBe("stored");
    expect(there.tab.sent(responses)).toEqual([]);
  });

  it("what waits is sent by one of them", async () => {
    const { device, here, person } = twoTabs(first(responses, "lost"));
    const survey = await here.ask("when-asked");
    await survey!.submit({ rating: 3 });
    const others = [1, 2, 3, 4].map(() => start(service.url, granted, { device }));
    await Promise.all(others.map(({ tab }) => tab.settle()));
    await here.tab.advance(60_000);
    const sent = [here, ...others].flatMap(({ tab }) => tab.sent(responses));
    expect(sent).toHaveLength(2);
    expect(await storedFor(service, person)).toHaveLength(1);
  });
});

describe("the outbox is bounded", () => {
  it("to fifty: the oldest gives way, and that is told", async () => {
    const device = aDevice();
    const fault = always(responses, () => "lost");
    const { afterword, ask, events, tab } = start(service.url, granted, { device, fault });
    for (let count = 0; count < 51; count++) {
      afterword.identify(newPerson());
      await (await ask("when-asked"))!.submit({ rating: 1 });
      afterword.getSurvey()!.done();
      tab.now++;
    }
    expect(Object.keys(device.local).filter((name) => name.includes("outbox:"))).toHaveLength(50);
    expect(events.error.filter(({ code }) => code === "outbox_full")).toHaveLength(1);
  });

  it("to fifty, of which a rating that the person changes is one", async () => {
    const device = aDevice();
    const { ask, events, tab } = start(service.url, granted, { device });
    const survey = await ask("when-asked");
    survey!.rate(2);
    await tab.settle();
    const names = () => Object.keys(device.local).filter((name) => name.includes("outbox:"));
    const [name] = names();
    const local = device.local as unknown as Record<string, string>;
    for (let count = 0; count < 49; count++) local[`${name}-${count}`] = "{}";
    survey!.rate(9);
    await tab.settle();
    expect([names().length, events.error]).toEqual([50, []]);
    survey!.done();
  });

  it("to seven days, however often it was tried: older ones are given up, and that is told", async () => {
    const device = aDevice();
    const fault = always(responses, () => refusal(503));
    const { afterword } = await answered({ device, fault });
    afterword.destroy();
    const dayInMs = 24 * 3_600_000;
    const meanwhile = start(service.url, granted, { device, fault, now: Date.now() + 4 * dayInMs });
    await meanwhile.tab.settle();
    expect(meanwhile.tab.sent(responses)).toHaveLength(1);
    meanwhile.afterword.destroy();
    const next = start(service.url, granted, { device, now: Date.now() + 8 * dayInMs });
    await next.tab.settle();
    expect(next.events.error).toMatchObject([{ code: "expired" }]);
    expect(next.tab.sent(responses)).toEqual([]);
    expect(JSON.stringify(device.local)).not.toContain("outbox:");
  });
});
