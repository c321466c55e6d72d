import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseByDigit } from "./choose-by-digit.ts";
import { startExample } from "./example-program.ts";
import { sharedBrowser } from "./shared-browser.ts";

/** The example's page, and what the browser complained about. */
async function open(name: string): Promise<{ page: Page; faults: string[] }> {
  const example = await startExample(name);
  onTestFinished(async () => void (await example.stop()));
  const page = await (await sharedBrowser()).newPage({ reducedMotion: "reduce" });
  onTestFinished(() => page.close());
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
    await chooseByDigit(page, 5);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("5 is stored.").waitFor();
    expect(faults).toEqual([]);
  });
});
