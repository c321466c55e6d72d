// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice } from "../../../fixtures/test-page.ts";
import { mint, pendingSessions, useService, storedFor, surveys } from "../../../fixtures/test-service.ts";

const service = useService();

const responses = "/v1/sdk/responses";
const granted = { consent: "granted" } as const;
const onItsWay = () => new Promise(setImmediate);

/** A device on which an answer waits to be sent. */
async function deviceWithAnswer() {
  const device = aDevice();
  const fault = (path: string) => (path === responses ? ("lost" as const) : undefined);
  const opened = start(service.url, granted, { device, fault });
  await (await opened.ask("when-asked"))!.submit({ rating: 1 });
  opened.afterword.destroy();
  return device;
}

describe("after destroy", () => {
  it.each([
    ["consent", (page: ReturnType<typeof start>) => page.afterword.consent(true)],
    ["ask", (page: ReturnType<typeof start>) => page.afterword.ask("when-asked")],
    ["preview", (page: ReturnType<typeof start>) => page.afterword.preview(surveys[1])],
    ["identify", (page: ReturnType<typeof start>) => page.afterword.identify(newPerson())],
  ])("%s shows nothing and asks the service nothing", async (_, say) => {
    const opened = start(service.url);
    opened.afterword.destroy();
    say(opened);
    await opened.tab.settle();
    expect(opened.shown()).toBeUndefined();
    expect(opened.tab.requests).toEqual([]);
  });

  it("what was to be shown at that moment never appears", async () => {
    const { afterword, tab, events } = start(service.url);
    afterword.preview(surveys[1]);
    afterword.destroy();
    await tab.settle();
    expect(events.shown).toEqual([]);
  });

  it("an answer on its way that fails is kept, and not tried again by this page", async () => {
    const device = aDevice();
    const fault = (path: string) => (path === responses ? ("lost" as const) : undefined);
    const { afterword, ask, tab } = start(service.url, granted, { device, fault });
    const sending = (await ask("when-asked"))!.submit({ rating: 1 });
    afterword.destroy();
    expect(await sending).toBe("queued");
    await tab.advance(3_600_000);
    expect(tab.sent(responses)).toHaveLength(1);
    expect(JSON.stringify(device.local)).toContain("outbox:");
  });

  it("what another page holds is left to the next one", async () => {
    const device = aDevice();
    const holder = start(service.url, granted, { device });
    (await holder.ask("when-asked"))!.rate(7);
    const { afterword, tab } = start(service.url, granted, { device });
    await tab.settle();
    afterword.destroy();
    holder.tab.kill();
    await tab.settle();
    expect(tab.sent(responses)).toEqual([]);
  });

  it("what waits on the device is left to the next page, also if this one had only begun", async () => {
    const { afterword, tab } = start(service.url, granted, { device: await deviceWithAnswer() });
    afterword.destroy();
    await tab.settle();
    tab.fire("online");
    await tab.settle();
    expect(tab.requests).toEqual([]);
  });
});

describe("what never appears is told", () => {
  it("a preview that was closed before it could", async () => {
    const { afterword, tab, whyNot } = start(service.url);
    afterword.preview({ ...surveys[1], slug: "draft-of-mine" });
    afterword.close();
    await tab.settle();
    expect(whyNot("draft-of-mine")).toBe("superseded");
  });

  it("what waits for its delay and is closed", async () => {
    const { afterword, ask, tab, whyNot } = start(service.url);
    await ask("after-a-while");
    afterword.close();
    await tab.advance(60_000);
    expect(whyNot("after-a-while")).toBe("superseded");
  });

  it("what waits for its delay when another is asked for", async () => {
    const { ask, shown, whyNot } = start(service.url);
    await ask("after-a-while");
    await ask("when-asked");
    expect(shown()).toBe("when-asked");
    expect(whyNot("after-a-while")).toBe("superseded");
  });

  it("the first of two that are asked for at once", async () => {
    const { afterword, ask, shown, whyNot } = start(service.url);
    afterword.ask("after-a-while");
    await ask("when-asked");
    expect(shown()).toBe("when-asked");
    expect(whyNot("after-a-while")).toBe("superseded");
  });

  it("what was asked for and closed before the service had answered", async () => {
    const { afterword, tab, whyNot } = start(service.url);
    afterword.ask("when-asked");
    void tab.settle();
    await onItsWay();
    afterword.close();
    await tab.settle();
    expect(whyNot("when-asked")).toBe("superseded");
  });
});

describe("a survey that the person has begun when the next task begins", () => {
  it("is not linked to the run of that next task", async () => {
    const person = newPerson();
    const { afterword, ask } = start(service.url);
    afterword.identify(person);
    const survey = await ask("when-asked");
    survey!.rate(1);
    afterword.task();
    afterword.install(await mint(service, "manual", person, "run-next"));
    await survey!.submit({ rating: 1 });
    expect(await storedFor(service, person)).toMatchObject([{ rating: 1 }]);
    expect(await pendingSessions(service)).not.toContain("run-next");
  });

  it("keeps the token that came while it was shown", async () => {
    const person = newPerson();
    const { afterword, ask } = start(service.url);
    afterword.identify(person);
    const survey = await ask("when-asked");
    afterword.install(await mint(service, "manual", person, "run-rated"));
    survey!.rate(1);
    afterword.task();
    await survey!.submit({ rating: 1 });
    expect(await pendingSessions(service)).toContain("run-rated");
  });
});
