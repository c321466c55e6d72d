import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const dayInMs = 86_400_000;
const rating = (value: number) => `input[value="${value}"]`;

/** A page of a person who consents to keeping answers on the device. */
const open = (person: string, context?: BrowserContext, attributes = "") =>
  world.open(
    {
      attributes: `data-consent="granted" ${attributes}`,
      before: `window.refused = [];
        afterword("on", "notShown", ({ slug, reason }) => refused.push(slug + " " + reason));
        afterword("identify", "${person}");`,
    },
    context,
  );

const command = (page: Page, ...call: unknown[]) =>
  page.evaluate(
    (call) => (globalThis as unknown as { afterword: (...call: unknown[]) => void }).afterword(...call),
    call,
  );

/** Asks about one run, as a page does after the agent has finished it. */
async function askAbout(page: Page, run: object) {
  await command(page, "task");
  await command(page, "install", run);
  await command(page, "resolve");
  await command(page, "ask", "each-run");
}

async function rate(page: Page, value: number) {
  await page.locator(rating(value)).check();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you").waitFor();
}

/** The surveys that were not shown since, and why. */
const refused = async (page: Page) => {
  await page.waitForFunction("refused[0]");
  return page.evaluate("refused.splice(0)");
};

const sessionsOf = async (prefix: string) =>
  (await world.pendingScores())
    .filter(({ sessionId }) => sessionId.startsWith(prefix))
    .map(({ sessionId }) => sessionId);

describe("a survey that is asked in each run", () => {
  it("gives three ratings on three sessions after three runs, and is shown once in each", async () => {
    const person = newPerson();
    const context = await world.newContext();
    const { page, faults } = await open(person, context);
    for (const [index, value] of [2, 3, 5].entries()) {
      const run = await world.mint("run", person, `three-${index}`);
      await askAbout(page, run);
      await rate(page, value);
      await askAbout(page, run);
      expect(await refused(page)).toEqual(["each-run suppressed"]);
      await page.reload();
      await askAbout(page, run);
      expect(await refused(page)).toEqual(["each-run suppressed"]);
      expect((await world.mint("run", person, `three-${index}`)).token).toBeUndefined();
    }
    expect((await world.stored(person)).map((answer) => answer.rating).sort()).toEqual([2, 3, 5]);
    expect((await sessionsOf("three-")).sort()).toEqual(["three-0", "three-1", "three-2"]);
    expect(faults).toEqual([]);
  });

  it("is not shown on a page without an installed token", async () => {
    const { page } = await open(newPerson());
    await command(page, "ask", "each-run");
    expect(await refused(page)).toEqual(["each-run gated"]);
  });

  it("stays open in another tab that is about another run", async () => {
    const person = newPerson();
    const context = await world.newContext();
    const [first, second] = [await open(person, context), await open(person, context)];
    await askAbout(first.page, await world.mint("run", person, "tabs-1"));
    await askAbout(second.page, await world.mint("run", person, "tabs-2"));
    await second.page.locator(rating(4)).waitFor();
    await rate(first.page, 1);
    await rate(second.page, 4);
    expect((await sessionsOf("tabs-")).sort()).toEqual(["tabs-1", "tabs-2"]);
  });
});

describe("a survey that is asked again after a time", () => {
  it("is not shown on the same device before, and is shown after", async () => {
    const person = newPerson();
    const { page } = await open(person);
    const askOnNewPage = async () => {
      await page.reload();
      await command(page, "ask", "each-month");
    };
    try {
      await askOnNewPage();
      await rate(page, 2);
      await askOnNewPage();
      expect(await refused(page)).toEqual(["each-month suppressed"]);
      world.aheadInMs = 29 * dayInMs;
      await askOnNewPage();
      expect(await refused(page)).toEqual(["each-month suppressed"]);
      world.aheadInMs = 31 * dayInMs;
      await askOnNewPage();
      await rate(page, 5);
    } finally {
      world.aheadInMs = 0;
    }
    expect((await world.stored(person)).map((answer) => answer.rating).sort()).toEqual([2, 5]);
  });
});

describe("a person who does not want to be asked", () => {
  it("is asked on no later page of this device, and the page is told until when", async () => {
    const { page } = await open(newPerson());
    await page.evaluate(
      `document.addEventListener("afterword:muted", ({ detail }) => (window.until = detail.until))`,
    );
    await command(page, "mute", "90d");
    await expect.poll(() => page.evaluate("until - Date.now()")).toBeGreaterThan(89.9 * dayInMs);
    await page.reload();
    await command(page, "ask", "when-asked");
    expect(await refused(page)).toEqual(["when-asked muted"]);
    await command(page, "ask", "when-asked", { openedByPerson: true });
    await page.locator(rating(4)).waitFor();
  });

  it("is not asked where the account remembers it: data-muted", async () => {
    const { page } = await open(newPerson(), undefined, "data-muted");
    await command(page, "ask", "when-asked");
    expect(await refused(page)).toEqual(["when-asked muted"]);
  });
});
