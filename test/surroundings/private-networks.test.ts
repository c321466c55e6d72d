import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { chromiumArguments } from "../chromium.ts";
import { useStage } from "../end-to-end/browser-stage.ts";

const stage = useStage();

/** One that takes the site for a public one, under a name, and the service for what it is: a program on this machine. */
let browser: Browser;
let shop: string;
beforeAll(async () => {
  const { host, port } = new URL(stage.site.url);
  shop = `http://shop.example:${port}`;
  browser = await chromium.launch({
    executablePath: inject("chromiumPath"),
    args: [
      ...chromiumArguments,
      "--host-resolver-rules=MAP shop.example 127.0.0.1",
      `--ip-address-space-overrides=${host}=public`,
      `--unsafely-treat-insecure-origin-as-secure=${shop}`,
    ],
  });
});
afterAll(() => browser.close());

const before = `window.reasons = [];
  document.addEventListener("afterword:notShown", ({ detail }) => reasons.push(detail.reason));
  afterword("ask", "when-asked");`;

/** A page of the public site that asks, in a browser whose person has decided. */
async function openPublic(permissions: string[]) {
  const context = await browser.newContext({ permissions });
  const page = await context.newPage();
  const warnings: string[] = [];
  page.on("console", (message) => warnings.push(message.text()));
  await page.goto(stage.publish({ before }).replace(stage.site.url, shop));
  const reasons = () => page.evaluate<string[]>("reasons");
  return { context, page, warnings, reasons };
}

it("a public page that may not call this machine says so, and does not blame baseUrl", async () => {
  const { context, reasons, warnings } = await openPublic([]);
  await expect.poll(reasons, { timeout: 40_000 }).toEqual(["private-network"]);
  expect(warnings.join()).toContain("127.0.0.1 is private, and this page is not");
  await context.close();
});

it("a public page whose person allows it shows the survey", async () => {
  const { context, page, reasons } = await openPublic(["local-network-access"]);
  await page.locator("afterword-view").waitFor({ state: "attached" });
  expect(await reasons()).toEqual([]);
  await context.close();
});
