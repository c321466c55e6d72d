import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const responses = "/v1/sdk/responses";
const granted = `data-consent="granted"`;
const busy = { status: 503, headers: { "retry-after": "3600" } };

beforeEach(() => void (world.proxy.fault = () => undefined));

/** The page of a person who is asked. */
const asking = (person: string, attributes = "") => ({
  attributes,
  before: `window.told = [];
    for (const name of ["submitted", "delivered"]) {
      afterword("on", name, ({ result }) => told.push([name, result].filter(Boolean).join(" ")));
    }
    afterword("identify", "${person}"); afterword("ask", "when-asked");`,
});

const choose = (page: Page, rating: number) => page.locator(`input[value="${rating}"]`).check();
const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();
const waiting = (page: Page) =>
  page.evaluate(`Object.keys(localStorage).filter((name) => name.includes("outbox:")).length`);
const leaveSite = (page: Page) => page.goto("about:blank");

describe("leaving the page where nothing may be kept", () => {
  it("sends queued answers, even before their Retry-After", async () => {
    const person = newPerson();
    world.proxy.fault = ({ path }) => (path === responses ? busy : undefined);
    const { page } = await world.open(asking(person));
    await choose(page, 4);
    await send(page);
    await expect.poll(() => page.evaluate("told")).toContain("submitted queued");
    world.proxy.fault = () => undefined;
    await leaveSite(page);
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 4 }]);
  });

  it.each([
    ["to another site", leaveSite],
    ["by a reload", (page: Page) => page.reload()],
    ["by closing the tab", (page: Page) => page.close({ runBeforeUnload: true })],
  ])("sends a rating that was chosen, with its text: %s", async (_, leave) => {
    const person = newPerson();
    const { page } = await world.open(asking(person));
    await choose(page, 2);
    await page.getByRole("textbox").fill("not for you");
    await leave(page);
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 2, text: "not for you" }]);
  });

  it("sends no dismissal for a survey that was not touched", async () => {
    const person = newPerson();
    const { page } = await world.open(asking(person));
    await page.locator(`input[value="2"]`).waitFor();
    const before = world.proxy.seen.length;
    await page.goto(world.publish(asking(person)));
    await page.locator(`input[value="2"]`).waitFor();
    expect(world.proxy.seen.slice(before).map(({ path }) => path)).toEqual(["/v1/sdk/bootstrap"]);
  });
});

describe("leaving the page where answers are kept on the device", () => {
  it("sends queued answers, and leaves those that must wait to the next page", async () => {
    const [first, second] = [newPerson(), newPerson()];
    let fault: ReturnType<typeof world.proxy.fault> = "lost";
    world.proxy.fault = ({ path }) => (path === responses ? fault : undefined);
    const { page } = await world.open(asking(first, granted));
    // Only what the test does tries again.
    await page.evaluate("Math.random = () => 1e6");
    await choose(page, 1);
    await send(page);
    await expect.poll(() => page.evaluate("told")).toContain("submitted queued");
    fault = busy;
    await page.evaluate(
      `afterword("close"), afterword("identify", "${second}"), afterword("ask", "when-asked")`,
    );
    await page.locator(`input[value="5"]:not(:checked)`).waitFor();
    await choose(page, 5);
    await send(page);
    await expect.poll(() => waiting(page)).toBe(2);
    await expect.poll(() => page.evaluate("told")).toEqual(["submitted queued", "submitted queued"]);
    fault = undefined;
    await leaveSite(page);
    // What must wait is newer: it would have been sent first.
    await expect.poll(() => world.stored(first)).toMatchObject([{ rating: 1 }]);
    expect(await world.stored(second)).toEqual([]);
  });

  it.each([
    ["a reload", (page: Page) => page.reload()],
    ["another page of the site", (page: Page, next: string) => page.goto(next)],
  ])("keeps a chosen rating with its text, and %s sends it at once", async (_, leave) => {
    const person = newPerson();
    const { page } = await world.open(asking(person, granted));
    await choose(page, 2);
    await page.getByRole("textbox").fill("not for you");
    expect(await waiting(page)).toBe(1);
    await leave(page, world.publish(asking(person, granted)));
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 2, text: "not for you" }]);
    await expect.poll(() => waiting(page)).toBe(0);
    expect(await page.locator(`input[value="2"]`).count()).toBe(0);
  });
});

describe("a page that comes back as it was left", () => {
  it.each([
    ["held on the device", granted],
    ["sent", ""],
  ])("shows thanks for the rating that was %s when the person left", async (_, attributes) => {
    const person = newPerson();
    const { page } = await world.open(asking(person, attributes));
    await choose(page, 3);
    // What the back-forward cache does to a page; this Chromium has none, and test/engines goes through a real one.
    for (const type of ["pagehide", "pageshow"]) {
      await page.evaluate(`dispatchEvent(new PageTransitionEvent("${type}", { persisted: true }))`);
    }
    await page.getByText("Thank you").waitFor();
    expect(await page.evaluate("told")).toEqual(["submitted stored"]);
    expect(await world.stored(person)).toMatchObject([{ rating: 3 }]);
  });
});
