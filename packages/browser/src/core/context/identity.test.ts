// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, aFullStorage } from "../../../fixtures/test-page.ts";
import { mint, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

const bootstrap = "/v1/sdk/bootstrap";
const responses = "/v1/sdk/responses";

/** Who the service was asked for, in turn. */
const askedFor = ({ tab }: ReturnType<typeof start>) => tab.sent(bootstrap).map(({ body }) => body["userId"]);

async function kindOf(opened: ReturnType<typeof start>) {
  const survey = await opened.ask("when-asked");
  await survey!.submit({ rating: 7 });
  return opened.tab.sent(responses)[0]!.body["identityKind"];
}

describe("an anonymous person", () => {
  it("is known by a random id of this page, and nothing is kept on the device", async () => {
    const device = aDevice();
    const [first, second] = [start(service.url, {}, { device }), start(service.url, {}, { device })];
    expect(await kindOf(first)).toBe("anon-conversation");
    await second.tab.settle();
    expect(askedFor(first)).not.toEqual(askedFor(second));
    expect(String(askedFor(first)[0]).length).toBeGreaterThan(30);
    expect(device).toEqual({ local: {}, session: {} });
  });

  it("is the same after a reload once they have consented", async () => {
    const device = aDevice();
    const [before, after] = [1, 2].map(() => start(service.url, { consent: "granted" }, { device }));
    expect(await kindOf(before!)).toBe("anon-device");
    await after!.tab.settle();
    expect(askedFor(before!)).toEqual(askedFor(after!));
  });

  it("is known by the conversation that the page names, and by nothing else", async () => {
    const device = aDevice();
    const opened = start(service.url, { conversationId: newPerson(), consent: "granted" }, { device });
    expect(await kindOf(opened)).toBe("anon-conversation");
    expect(Object.keys(device.local).filter((name) => name.endsWith("device"))).toEqual([]);
  });

  it.each([
    ["blocked", { local: "blocked", session: "blocked" } as const],
    ["full", { local: aFullStorage(), session: aFullStorage() }],
    ["absent", { local: null as unknown as Storage, session: null as unknown as Storage }],
  ])("is known for as long as the page lives where storage is %s", async (_, device) => {
    expect(await kindOf(start(service.url, { consent: "granted" }, { device }))).toBe("anon-conversation");
  });

  it("stays who they are when they consent: the page's id becomes the device's, and the service is not asked again", async () => {
    const device = aDevice();
    const opened = start(service.url, {}, { device });
    await opened.tab.settle();
    opened.afterword.consent(true);
    await opened.tab.settle();
    expect(askedFor(opened)).toHaveLength(1);
    expect(Object.values(device.local)).toContain(askedFor(opened)[0]);
  });

  it("becomes who they were on this device when they consent again", async () => {
    const device = aDevice();
    const before = start(service.url, { consent: "granted" }, { device });
    await before.tab.settle();
    const opened = start(service.url, {}, { device });
    await opened.tab.settle();
    opened.afterword.consent(true);
    await opened.tab.settle();
    expect(askedFor(opened).at(-1)).toBe(askedFor(before)[0]);
  });
});

describe("an identified person", () => {
  it("is sent by name in the body, with their traits", async () => {
    const person = newPerson();
    const opened = start(service.url);
    opened.afterword.identify(person, { plan: "pro" });
    expect(await kindOf(opened)).toBe("identified");
    expect(opened.tab.sent(responses)[0]!.body).toMatchObject({ userId: person, traits: { plan: "pro" } });
    expect(await storedFor(service, person)).toMatchObject([
      { surveyId: "manual", rating: 7, traits: { plan: "pro" } },
    ]);
  });

  it("named again asks the service nothing, but their new traits count", async () => {
    const person = newPerson();
    const opened = start(service.url);
    opened.afterword.identify(person);
    await opened.tab.settle();
    opened.afterword.close();
    opened.afterword.identify(person, { plan: "pro" });
    expect(await opened.ask("for-pros")).toBeDefined();
    expect(askedFor(opened)).toEqual([person]);
  });

  it("who logs in while a survey is shown may finish it, and is not asked the same again", async () => {
    const person = newPerson();
    const opened = start(service.url);
    const survey = await opened.ask("when-asked");
    opened.afterword.identify(person);
    await opened.tab.settle();
    expect(opened.shown()).toBe("when-asked");
    await survey!.submit({ rating: 10 });
    survey!.done();
    await opened.ask("when-asked");
    expect(opened.whyNot("when-asked")).toBe("suppressed");
  });
});

describe("another account in the same tab", () => {
  it("closes what the person before was shown, and asks the service for the new one", async () => {
    const [first, second] = [newPerson(), newPerson()];
    const opened = start(service.url);
    opened.afterword.identify(first);
    await opened.ask("when-asked");
    opened.afterword.identify(second);
    expect(opened.shown()).toBeUndefined();
    await opened.tab.settle();
    expect(askedFor(opened)).toEqual([first, second]);
  });

  it("sends a rating that the person before had chosen in their name", async () => {
    const [first, second] = [newPerson(), newPerson()];
    const opened = start(service.url);
    opened.afterword.identify(first);
    (await opened.ask("when-asked"))!.rate(2);
    opened.afterword.identify(second);
    await opened.tab.settle();
    expect(await storedFor(service, first)).toMatchObject([{ rating: 2 }]);
    expect(await storedFor(service, second)).toEqual([]);
  });

  it("does not answer with the tokens of the account before", async () => {
    const [first, second] = [newPerson(), newPerson()];
    const opened = start(service.url);
    opened.afterword.identify(first);
    opened.afterword.install(await mint(service, "manual", first, "run-of-first"));
    opened.afterword.identify(second);
    await (await opened.ask("when-asked"))!.submit({ rating: 4 });
    expect(await storedFor(service, second)).toMatchObject([{ rating: 4 }]);
    expect(opened.tab.sent(responses)[0]!.body).not.toHaveProperty("sessionId");
  });

  it("may be asked what the account before was asked: suppression is the person's, not the device's", async () => {
    const device = aDevice();
    const opened = start(service.url, { consent: "granted" }, { device });
    opened.afterword.identify(newPerson());
    await (await opened.ask("when-asked"))!.submit({ rating: 4 });
    opened.afterword.getSurvey()!.done();
    opened.afterword.identify(newPerson());
    expect(await opened.ask("when-asked")).toBeDefined();
  });

  it("a late reply for the previous account is ignored", async () => {
    const [first, second] = [newPerson(), newPerson()];
    const opened = start(service.url);
    opened.afterword.identify(first);
    const settled = opened.tab.settle();
    await new Promise(setImmediate);
    opened.afterword.identify(second);
    await settled;
    await (await opened.ask("when-asked"))!.submit({ rating: 4 });
    expect(await storedFor(service, first)).toEqual([]);
    expect(await storedFor(service, second)).toHaveLength(1);
  });
});

describe("reset", () => {
  it("starts with a new id, also on a device that knew the person", async () => {
    const device = aDevice();
    const opened = start(service.url, { consent: "granted" }, { device });
    await opened.tab.settle();
    opened.afterword.reset();
    await opened.tab.settle();
    const [before, after] = askedFor(opened);
    expect(after).not.toBe(before);
    expect(Object.values(device.local)).not.toContain(before);
  });

  it("leaves no unfinished words behind", async () => {
    const device = aDevice();
    const opened = start(service.url, { consent: "granted" }, { device });
    (await opened.ask("when-asked"))!.saveDraft({ text: "between us" });
    opened.afterword.reset();
    expect(device.session).toEqual({});
  });
});
