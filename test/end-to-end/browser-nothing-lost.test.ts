import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const responses = "/v1/sdk/responses";
const granted = `data-consent="granted"`;
const rating = (value: number) => `input[value="${value}"]`;

beforeEach(() => void (world.proxy.fault = () => undefined));

/** The page of a person who is asked. */
const asking = (person: string) => ({
  attributes: granted,
  before: `window.told = [];
    for (const name of ["delivered", "closed", "submitted", "notShown"]) {
      afterword("on", name, ({ result, reason }) => told.push([name, result ?? reason].filter(Boolean).join(" ")));
    }
    afterword("identify", "${person}"); afterword("ask", "when-asked");`,
});

async function rate(page: Page, value: number, text?: string) {
  await page.locator(rating(value)).check();
  if (text) await page.getByRole("textbox").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const kept = (page: Page) => page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");

describe("an answer", () => {
  it("given during an outage waits on the device, survives a reload, and is stored afterwards", async () => {
    const person = newPerson();
    world.proxy.fault = ({ path }) => (path === responses ? "lost" : undefined);
    const { page } = await world.open(asking(person));
    await rate(page, 2, "kept words");
    await page.getByText("has not been sent yet").waitFor();
    expect(await kept(page)).toContain("kept words");
    world.proxy.fault = () => undefined;
    await page.reload();
    await expect.poll(() => page.evaluate("told")).toContain("delivered");
    expect(await world.stored(person)).toMatchObject([{ rating: 2, text: "kept words" }]);
    expect(await kept(page)).not.toContain("kept words");
  });
});

describe("two tabs", () => {
  it("a chosen rating belongs to its tab, and is sent by the other once that is closed", async () => {
    const person = newPerson();
    const context = await world.newContext();
    const here = await world.open(asking(person), context);
    await here.page.locator(rating(3)).check();
    const there = await world.open({ attributes: granted }, context);
    await there.page.waitForLoadState("networkidle");
    expect(await world.stored(person)).toEqual([]);
    await here.page.close();
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 3 }]);
  });

  it("queued answers are sent by one of them when both are online again", async () => {
    const person = newPerson();
    const context = await world.newContext();
    world.proxy.fault = ({ path }) => (path === responses ? "lost" : undefined);
    const { page } = await world.open(asking(person), context);
    await rate(page, 4);
    await page.getByText("has not been sent yet").waitFor();
    const other = await world.open({ attributes: granted }, context);
    await other.page.waitForLoadState("networkidle");
    const before = world.proxy.sent(responses).length;
    world.proxy.fault = () => undefined;
    for (const tab of [page, other.page]) await tab.evaluate(`window.dispatchEvent(new Event("online"))`);
    await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 4 }]);
    await other.page.waitForLoadState("networkidle");
    expect(world.proxy.sent(responses).slice(before)).toHaveLength(1);
  });
});
