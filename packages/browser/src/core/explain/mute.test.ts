// @vitest-environment node
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice } from "../../../fixtures/test-page.ts";
import { mint, useService, storedFor } from "../../../fixtures/test-service.ts";

const service = useService();

const granted = { consent: "granted" } as const;
const dayInMs = 86_400_000;

/** A page whose person was muted before it had loaded anything. */
async function muted(duration: unknown, options = {}, device = aDevice()) {
  const opened = start(service.url, options, { device });
  opened.afterword.mute(duration as string);
  await opened.tab.settle();
  return { ...opened, device };
}

describe("a person who is muted", () => {
  it("is shown nothing, neither by itself nor when the page asks", async () => {
    const { ask, shown, whyNot } = await muted("90d");
    expect(shown()).toBeUndefined();
    expect(whyNot("by-itself")).toBe("muted");
    expect(await ask("when-asked")).toBeUndefined();
    expect(whyNot("when-asked")).toBe("muted");
  });

  it("is not shown what was waiting for its delay", async () => {
    const { afterword, ask, tab, whyNot } = start(service.url);
    await tab.settle();
    afterword.close();
    afterword.getSurvey()?.done();
    afterword.resolve();
    await ask("after-a-while");
    afterword.mute("1d");
    await tab.advance(6000);
    expect(whyNot("after-a-while")).toBe("muted");
  });

  it("still opens surveys and rates runs by themselves", async () => {
    const person = newPerson();
    const { afterword, shown, tab } = await muted("forever");
    afterword.identify(person);
    expect(await afterword.rate(await mint(service, "manual", person, "run"), { rating: 9 })).toBe("stored");
    expect(await storedFor(service, person)).toMatchObject([{ rating: 9 }]);
    afterword.ask("in-the-page", { openedByPerson: true });
    await tab.settle();
    expect(shown()).toBe("in-the-page");
  });

  it("keeps a survey that is open, and sees previews", async () => {
    const { afterword, shown, tab } = start(service.url);
    await tab.settle();
    afterword.mute("1d");
    await tab.settle();
    expect(shown()).toBe("by-itself");
    afterword.getSurvey()!.done();
    const preview = { id: "p", slug: "p", type: "csat", question: "?", presentation: "corner" } as const;
    afterword.preview({ ...preview, trigger: "manual" });
    await tab.settle();
    expect(shown()).toBe("p");
  });

  it("is asked again once the time has passed, on the same page and on the next", async () => {
    const { ask, tab, device } = await muted("2h", granted);
    await tab.advance(2 * 3_600_000 - 1);
    expect(await ask("when-asked")).toBeUndefined();
    await tab.advance(1);
    expect(await ask("when-asked")).toBeDefined();
    const next = start(service.url, granted, { device });
    expect(await next.ask("when-asked")).toBeDefined();
  });
});

describe("the page", () => {
  it.each([
    ["90d", 90 * dayInMs],
    ["12h", dayInMs / 2],
    ["1s", 1000],
  ])("hears until when: mute(%j)", async (duration, lengthInMs) => {
    const { tab, events } = await muted(duration);
    expect(events.muted).toEqual([{ until: tab.now + lengthInMs }]);
    expect(events.error).toEqual([]);
  });

  it('hears of no end after mute("forever")', async () => {
    expect((await muted("forever")).events.muted).toEqual([{ until: undefined }]);
  });

  it.each(["soon", "", "0d", "90", "1.5h", "-1d", 90, undefined, null, {}])(
    "hears an error for mute(%j), and the person is asked as before",
    async (duration) => {
      const { ask, events } = await muted(duration, granted);
      expect(events.error).toMatchObject([
        { code: "invalid_argument", message: expect.stringContaining('such as "90d"') },
      ]);
      expect(events.muted).toEqual([]);
      expect(await ask("when-asked")).toBeDefined();
    },
  );
});

describe("a newer mute", () => {
  it.each([
    ["90d", "1h"],
    ["1h", "90d"],
    ["forever", "1s"],
  ])("takes the place of an older one: %s, then %s", async (older, newer) => {
    const { afterword, device, tab, events } = await muted(older, granted);
    afterword.mute(newer);
    await tab.settle();
    const { until } = events.muted[1]!;
    const next = start(service.url, granted, { device, now: until! - 1 });
    expect(await next.ask("when-asked")).toBeUndefined();
    await next.tab.advance(1);
    expect(await next.ask("when-asked")).toBeDefined();
  });
});

describe("a mute", () => {
  it("is kept on the device with consent, also if the page ends at once", async () => {
    const device = aDevice();
    start(service.url, granted, { device }).afterword.mute("forever");
    const next = start(service.url, granted, { device });
    expect(await next.ask("when-asked")).toBeUndefined();
    expect(next.events.muted).toHaveLength(1);
  });

  it("counts on this page alone without consent", async () => {
    const { ask, device } = await muted("forever");
    expect(await ask("when-asked")).toBeUndefined();
    expect(Object.keys(device.local)).toEqual([]);
    expect(await start(service.url, {}, { device }).ask("when-asked")).toBeDefined();
  });

  it("is kept on the device once the person consents, and told no second time", async () => {
    const { afterword, device, tab, events } = await muted("forever");
    afterword.consent(true);
    await tab.settle();
    expect(events.muted).toHaveLength(1);
    expect(await start(service.url, granted, { device }).ask("when-asked")).toBeUndefined();
  });

  it("is deleted from the device when consent is withdrawn, and still counts on this page", async () => {
    const { afterword, ask, device, tab } = await muted("forever", granted);
    afterword.consent(false);
    await tab.settle();
    expect(Object.keys(device.local)).toEqual([]);
    expect(await ask("when-asked")).toBeUndefined();
  });

  it("is about the device: it holds for the next person who logs in", async () => {
    const { afterword, ask } = await muted("1d", granted);
    afterword.identify(newPerson());
    afterword.reset();
    afterword.identify(newPerson());
    expect(await ask("when-asked")).toBeUndefined();
  });
});

describe("the option `muted`", () => {
  it("mutes the page, as the account remembers it, and keeps nothing on the device", async () => {
    const device = aDevice();
    const { afterword, ask, whyNot, tab, shown, events } = start(
      service.url,
      { ...granted, muted: true },
      { device },
    );
    expect(await ask("when-asked")).toBeUndefined();
    expect(whyNot("when-asked")).toBe("muted");
    expect(events.muted).toEqual([]);
    afterword.ask("when-asked", { openedByPerson: true });
    await tab.settle();
    expect(shown()).toBe("when-asked");
    expect(await start(service.url, granted, { device }).ask("when-asked")).toBeDefined();
  });
});
