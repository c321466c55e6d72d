// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice } from "../../../fixtures/test-page.ts";
import { mint, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

describe("consent that is required", () => {
  it("nothing is sent and nothing is kept until it is given", async () => {
    const device = aDevice();
    const { afterword, ask, tab, whyNot } = start(service.url, { consent: "required" }, { device });
    afterword.identify(newPerson(), { plan: "pro" });
    afterword.task();
    afterword.resolve();
    await ask("when-asked");
    tab.fire("online");
    await tab.advance(3_600_000);
    expect(tab.requests).toEqual([]);
    expect(device).toEqual({ local: {}, session: {} });
    expect(whyNot("when-asked")).toBe("consent");
  });

  it("what was asked for is shown once it is given", async () => {
    const { afterword, ask, tab, shown } = start(service.url, { consent: "required" });
    await ask("when-asked");
    afterword.consent(true);
    await tab.settle();
    expect(shown()).toBe("when-asked");
  });

  it("is not remembered: the page gives it anew at each load", async () => {
    const device = aDevice();
    const before = start(service.url, { consent: "required" }, { device });
    before.afterword.consent(true);
    await before.tab.settle();
    const after = start(service.url, { consent: "required" }, { device });
    await after.tab.settle();
    expect(after.tab.requests).toEqual([]);
  });
});

describe("withdrawal", () => {
  async function withEverythingKept() {
    const device = aDevice();
    const opened = start(
      service.url,
      { consent: "granted" },
      { device, fault: (path) => (path === "/v1/sdk/responses" ? "lost" : undefined) },
    );
    await (await opened.ask("by-itself"))!.submit({ rating: 1, text: "waits" });
    opened.afterword.getSurvey()!.done();
    (await opened.ask("when-asked"))!.saveDraft({ text: "unfinished" });
    return { ...opened, device };
  }

  it("deletes the device id, unsent answers and unfinished words at once", async () => {
    const { afterword, device } = await withEverythingKept();
    expect(JSON.stringify(device)).toMatch(/device.*outbox.*draft/);
    afterword.consent(false);
    expect(device).toEqual({ local: {}, session: {} });
  });

  it("also deletes what an earlier page kept", async () => {
    const { device } = await withEverythingKept();
    start(service.url, {}, { device }).afterword.consent(false);
    expect(device).toEqual({ local: {}, session: {} });
  });

  it("takes away what is shown and sends nothing of it", async () => {
    const person = newPerson();
    const { afterword, ask, shown, tab } = start(service.url);
    afterword.identify(person);
    (await ask("when-asked"))!.rate(3);
    afterword.consent(false);
    await tab.settle();
    expect(shown()).not.toBe("when-asked");
    expect(await storedFor(service, person)).toEqual([]);
  });

  it("sends nothing more where consent is required", async () => {
    const { afterword, tab } = start(service.url, { consent: "required" });
    afterword.consent(true);
    await tab.settle();
    const sent = tab.requests.length;
    afterword.consent(false);
    afterword.ask("when-asked");
    await tab.advance(3_600_000);
    expect(tab.requests).toHaveLength(sent);
  });

  it("what is deleted while it is being sent does not come back", async () => {
    const device = aDevice();
    const { ask, tab, afterword } = start(
      service.url,
      { consent: "granted" },
      { device, fault: (path) => (path === "/v1/sdk/responses" ? "lost" : undefined) },
    );
    const survey = await ask("when-asked");
    void survey!.submit({ rating: 1 });
    afterword.consent(false);
    await tab.advance(3_600_000);
    expect(Object.keys(device.local)).toEqual([]);
    expect(tab.sent("/v1/sdk/responses")).toHaveLength(1);
  });

  it("leaves alone what other programs keep", async () => {
    const device = aDevice();
    (device.local as Storage)["cart"] = "3 items";
    start(service.url, { consent: "granted" }, { device }).afterword.consent(false);
    expect(device.local).toEqual({ cart: "3 items" });
  });
});

describe("Global Privacy Control", () => {
  const isPrivate = { hasPrivacyControl: true };

  it("keeps no device id, whatever the page says about consent", async () => {
    const device = aDevice();
    const { tab } = start(service.url, { consent: "granted" }, { device, ...isPrivate });
    await tab.settle();
    expect(Object.keys(device.local)).toEqual([]);
  });

  it("sends no traits and no kind of task, and stores the answer all the same", async () => {
    const person = newPerson();
    const { afterword, ask, tab } = start(service.url, {}, isPrivate);
    afterword.identify(person, { plan: "pro" });
    afterword.install({ ...(await mint(service, "pro", person, "run-private")), taskType: "refund" });
    const survey = await ask("for-pros");
    expect(await survey!.submit({ rating: 2 })).toBe("stored");
    expect(JSON.stringify(tab.requests)).not.toMatch(/plan|refund/);
    expect(tab.sent("/v1/sdk/responses")[0]!.body).toMatchObject({ sessionId: "run-private" });
  });
});

it("nothing sets a cookie", async () => {
  const { ask, tab } = start(service.url, { consent: "granted" });
  await (await ask("when-asked"))!.submit({ rating: 1 });
  expect(tab.page.document.cookie).toBe("");
});
