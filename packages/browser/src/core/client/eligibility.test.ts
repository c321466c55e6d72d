// @vitest-environment node
import { samplePosition } from "@afterword/protocol/sampling";
import { describe, expect, it } from "vitest";
import { newPerson, start } from "../../../fixtures/start.ts";
import { aDevice, type TestPageOptions } from "../../../fixtures/test-page.ts";
import { useService, surveys } from "../../../fixtures/test-service.ts";

const service = useService();

describe("targeting", () => {
  it("asks those whose traits match", async () => {
    const { afterword, ask } = start(service.url);
    afterword.identify(newPerson(), { plan: "pro" });
    expect(await ask("for-pros")).toBeDefined();
  });

  it.each([{}, { plan: "free" }, { plan: ["pro"] }, { plan: null }])(
    "does not ask those with %o",
    async (traits) => {
      const { afterword, ask, whyNot } = start(service.url);
      afterword.identify(newPerson(), traits);
      await ask("for-pros");
      expect(whyNot("for-pros")).toBe("targeting");
    },
  );
});

describe("sampling", () => {
  const people = Array.from({ length: 40 }, (_, at) => `sampled-${at}`);

  it("asks exactly the respondents that the published function picks, at each page load", async () => {
    const asked: string[] = [];
    for (const person of people) {
      const { afterword, ask } = start(service.url);
      afterword.identify(person);
      if (await ask("for-half")) asked.push(person);
    }
    expect(asked).toEqual(people.filter((person) => samplePosition(person, "half") < 50));
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThan(30);
  });
});

describe("the delay", () => {
  it("passes before the survey appears", async () => {
    const { ask, tab, shown } = start(service.url);
    await ask("after-a-while");
    await tab.advance(4999);
    expect(shown()).toBeUndefined();
    await tab.advance(1);
    expect(shown()).toBe("after-a-while");
  });

  it("stands still while the page is hidden", async () => {
    const { ask, tab, shown } = start(service.url);
    await ask("after-a-while");
    await tab.advance(3000);
    await tab.turn("hidden");
    await tab.advance(60_000);
    expect(shown()).toBeUndefined();
    await tab.turn("visible");
    await tab.advance(1999);
    expect(shown()).toBeUndefined();
    await tab.advance(1);
    expect(shown()).toBe("after-a-while");
  });

  it("nothing appears in a hidden page", async () => {
    const opened = start(service.url);
    opened.tab.isHidden = true;
    await opened.tab.advance(60_000);
    expect(opened.shown()).toBeUndefined();
    await opened.tab.turn("visible");
    expect(opened.shown()).toBe("by-itself");
  });

  it("of more than 31 bits of milliseconds passes too, and does not count as none", async () => {
    const later: TestPageOptions["fault"] = (path) =>
      path.endsWith("bootstrap") ? Response.json(muchLater) : undefined;
    const muchLater = {
      surveys: [{ ...surveys[2], delayMs: 2 ** 31 + 5000 }],
      suppression: [],
      showTokens: { late: "st1.late" },
    };
    const { ask, tab, shown } = start(service.url, {}, { fault: later });
    await ask("after-a-while");
    // A browser takes such a delay for none.
    const { setTimeout } = tab.page;
    tab.page.setTimeout = ((run: () => void, delayInMs = 0) =>
      setTimeout(run, delayInMs | 0)) as typeof setTimeout;
    await tab.advance(2 ** 31 - 2);
    expect(shown()).toBeUndefined();
    await tab.advance(1);
    expect(shown()).toBe("after-a-while");
  });

  it("does not apply to what the person opens", async () => {
    const { afterword, tab, shown } = start(service.url);
    afterword.ask("after-a-while", { openedByPerson: true });
    await tab.settle();
    expect(shown()).toBe("after-a-while");
  });

  it("is called off by a task that begins meanwhile", async () => {
    const { afterword, ask, tab, shown } = start(service.url);
    await ask("after-a-while");
    afterword.task();
    await tab.advance(60_000);
    expect(shown()).toBeUndefined();
  });

  it("ends with a second look: who has answered in another tab meanwhile is not asked", async () => {
    const device = aDevice();
    const person = newPerson();
    const [here, there] = [1, 2].map(() => start(service.url, { consent: "granted" }, { device }));
    for (const { afterword } of [here!, there!]) afterword.identify(person);
    await here!.ask("after-a-while");
    await there!.ask("after-a-while");
    await there!.tab.advance(5000);
    await there!.afterword.getSurvey()!.submit({ rating: 5 });
    await here!.tab.advance(5000);
    expect(here!.whyNot("after-a-while")).toBe("suppressed");
  });
});

describe("who was asked is not asked again", () => {
  it("after an answer, in the same page", async () => {
    const { afterword, ask, whyNot } = start(service.url);
    await (await ask("when-asked"))!.submit({ rating: 5 });
    afterword.getSurvey()!.done();
    await ask("when-asked");
    expect(whyNot("when-asked")).toBe("suppressed");
  });

  it("after a dismissal, in the next page and on another device, by what the service knows", async () => {
    const person = newPerson();
    const before = start(service.url);
    before.afterword.identify(person);
    (await before.ask("when-asked"))!.dismiss();
    await before.tab.settle();
    const after = start(service.url);
    after.afterword.identify(person);
    await after.ask("when-asked");
    expect(after.whyNot("when-asked")).toBe("suppressed");
  });

  it("what the device remembers names neither the person nor the survey", async () => {
    const device = aDevice();
    const { afterword, ask } = start(service.url, { consent: "granted" }, { device });
    afterword.identify("mara@example.com");
    await (await ask("when-asked"))!.submit({ rating: 5, text: "thank you" });
    expect(JSON.stringify(device)).not.toMatch(/mara|when-asked|thank you/);
  });

  it("a survey that was closed by the page may come again", async () => {
    const { afterword, ask } = start(service.url);
    await ask("when-asked");
    afterword.close();
    expect(await ask("when-asked")).toBeDefined();
  });
});

describe("focus", () => {
  async function openedByPerson(meanwhile: (fire: (type: string) => void) => void) {
    const { afterword, tab } = start(service.url);
    afterword.ask("when-asked", { openedByPerson: true });
    meanwhile((type) => tab.fire(type));
    await tab.settle();
    return afterword.getSurvey()!.openedByPerson;
  }

  it("may move into what the person opened", async () => {
    expect(await openedByPerson(() => {})).toBe(true);
  });

  it.each(["keydown", "pointerdown"])("stays where it is if they go on meanwhile (%s)", async (type) => {
    expect(await openedByPerson((fire) => fire(type))).toBe(false);
  });

  it("stays where it is when the page opened it", async () => {
    const { ask } = start(service.url);
    expect((await ask("when-asked"))!.openedByPerson).toBe(false);
  });
});
