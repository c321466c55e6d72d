import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const responses = "/v1/sdk/responses";
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
