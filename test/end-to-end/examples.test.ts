import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { chromiumArguments } from "../chromium.ts";
import { startExample } from "./example-program.ts";

let browser: Browser;
let stop = () => Promise.resolve();
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: inject("chromiumPath"), args: chromiumArguments });
});
afterEach(() => stop());
afterAll(() => browser.close());

/** The example's page, and what the browser complained about. */
async function open(name: string): Promise<{ page: Page; faults: string[] }> {
  const example = await startExample(name);
  stop = example.stop;
  const page = await browser.newPage({ reducedMotion: "reduce" });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
  await page.goto(example.url);
  return { page, faults };
}

describe("each example does what it shows", () => {
  it("script-tag: two lines, and a survey that asks by itself after two seconds", async () => {
    const { page, faults } = await open("script-tag");
    await page.locator('input[value="9"]').check();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    expect(faults).toEqual([]);
  });

  it("strict-csp: the strictest policy, without a violation", async () => {
    const { page, faults } = await open("strict-csp");
    await page.locator('input[value="4"]').check();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    expect(faults).toEqual([]);
  });

  it("headless: the page's own stars, sent by keyboard", async () => {
    const { page, faults } = await open("headless");
    await page.getByText("How many stars").waitFor();
    await page.locator("[name=stars]").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByText("Thank you!").waitFor();
    expect(await page.locator("form").isHidden()).toBe(true);
    expect(faults).toEqual([]);
  });

  it("npm-widget: opened by a button, so the focus is in it, and closed by Escape back to the button", async () => {
    const { page, faults } = await open("npm-widget");
    await page.getByRole("button", { name: "Give feedback" }).click();
    await page.locator("input:focus").waitFor();
    await page.keyboard.press("5");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("5 is stored.").waitFor();
    expect(faults).toEqual([]);
  });

  it("agent-chat: nothing is asked before the agent's answer, then once, inline", async () => {
    const { page, faults } = await open("agent-chat");
    await page.getByLabel("Your question").fill("Where is my order?");
    await page.getByRole("button", { name: "Ask the agent" }).click();
    await page.locator('[data-afterword-slot] input[value="5"]').check();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    await page.getByRole("button", { name: "Ask the agent" }).click();
    await page.waitForLoadState("networkidle");
    expect(await page.locator('[data-afterword-slot] input[type="radio"]').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
