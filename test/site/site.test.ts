import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { addressesOf, fileOf, files, idsOf, pages, read, siteFolder } from "./built-site.ts";
import { serveSite } from "./site-server.ts";

const isElsewhere = (address: string) => /^[a-z]+:/.test(address);

describe("a page of the built site", () => {
  const ids = new Map(pages.map((path) => [path, idsOf(read(path))]));

  it.each(pages)("%s leads only to pages, files and headings that exist", (path) => {
    const dead = addressesOf(read(path)).filter((address) => {
      if (isElsewhere(address)) return false;
      const file = fileOf(path, address);
      const [, anchor] = address.split("#");
      if (!files.has(file)) return true;
      return anchor ? !ids.get(file)?.has(decodeURIComponent(anchor)) : false;
    });
    expect(dead).toEqual([]);
  });

  it.each(pages)("%s loads nothing from another host", (path) => {
    const loaded = [...read(path).matchAll(/<(?:script|img|source|iframe)[^>]*\ssrc(?:set)?="([^"]+)"/g)];
    const linked = [
      ...read(path).matchAll(/<link(?![^>]*rel="(?:canonical|alternate)")[^>]*href="([^"]+)"/g),
    ];
    expect([...loaded, ...linked].map(([, address]) => address!).filter(isElsewhere)).toEqual([]);
  });
});

/** Pages of every kind: the first one, a way in, a guide with pictures, tables, generated ones, the list. */
const looked = [
  "/",
  "/start/page/",
  "/browser/thumbs/",
  "/browser/theming/",
  "/reference/settings/",
  "/reference/http/sdk-bootstrap-post/",
  "/forwarder/sinks/langfuse/",
  "/results/weighted-scores/",
  "/evidence/benchmarks/",
];

describe("the site in a browser", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
    site = await serveSite(siteFolder);
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  /** A page that can reach nothing but the site. What else it asks for is in `others`, and what it sends in `sent`. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const others: string[] = [];
    await page.route("**", (route) => {
      const url = route.request().url();
      if (url.startsWith(site.url) || url.startsWith("data:")) return route.continue();
      others.push(url);
      return route.abort();
    });
    const sent: string[] = [];
    page.on("request", (request) => {
      const path = new URL(request.url()).pathname.slice(1);
      const isFile = files.has(path) || files.has(`${path}index.html`);
      if (request.method() !== "GET" || !isFile) sent.push(`${request.method()} ${request.url()}`);
    });
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("response", (response) => response.ok() || faults.push(`${response.status()} ${response.url()}`));
    await page.goto(site.url + path, { waitUntil: "networkidle" });
    return { page, others, sent, faults };
  }

  async function violationsOf(page: Page): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }

  describe.each(looked)("%s", (path) => {
    it("asks no other host for anything, and nothing of it fails", async () => {
      const { page, others, faults } = await open(path);
      expect(others).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it.each(["light", "dark"] as const)(
      "has no accessibility violation in its %s theme",
      async (colorScheme) => {
        const { page } = await open(path, { colorScheme });
        expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe(colorScheme);
        expect(await violationsOf(page)).toEqual([]);
        await page.context().close();
      },
    );

    it("fits a window of 360 pixels without accessibility violations", async () => {
      const { page } = await open(path, { viewport: { width: 360, height: 780 } });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBe(360);
      expect(await violationsOf(page)).toEqual([]);
      await page.context().close();
    });
  });

  it("transfers at most 100 kB of script for the first page", async () => {
    const page = await (await browser.newContext()).newPage();
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const scripts = new Set<string>();
    let transferred = 0;
    session.on("Network.responseReceived", ({ requestId, type }) => {
      if (type === "Script") scripts.add(requestId);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) transferred += encodedDataLength;
    });
    await page.goto(`${site.url}/`, { waitUntil: "networkidle" });
    const inline = await page.evaluate(() =>
      [...document.querySelectorAll("script:not([src])")].reduce(
        (sum, { textContent }) => sum + textContent.length,
        0,
      ),
    );
    expect(scripts.size).toBeGreaterThan(0);
    console.log(
      `script of the first page: ${transferred} bytes in ${scripts.size} files, and ${inline} inline`,
    );
    expect(transferred + inline).toBeLessThanOrEqual(100_000);
    await page.context().close();
  });

  it("finds a page by a word, without another host", async () => {
    const { page, others, faults } = await open("/");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByPlaceholder("Search").fill("quiet period");
    const results = page.locator(".pagefind-ui__result-link");
    await results.first().waitFor();
    await results.first().click();
    await page.waitForURL((url) => url.pathname !== "/");
    expect(await page.locator("main").textContent()).toMatch(/quiet\s*period/i);
    expect(others).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("keeps the theme that a reader chooses", async () => {
    const { page } = await open("/start/page/", { colorScheme: "light" });
    await page.locator("starlight-theme-select select").first().selectOption("dark");
    await page.goto(`${site.url}/`);
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    const colourOf = () =>
      page
        .locator("[data-afterword-slot] section")
        .evaluate((card) => getComputedStyle(card).backgroundColor);
    const dark = await colourOf();
    await page.locator("starlight-theme-select select").first().selectOption("light");
    await expect.poll(colourOf).toBe("rgb(255, 255, 255)");
    expect(dark).not.toBe("rgb(255, 255, 255)");
    await page.context().close();
  });

  describe("the widget on the first page", () => {
    const question = "How well did the agent do this task?";

    it.each(["inline", "corner", "banner"])(
      "is drawn and can be answered as %s, and no request leaves",
      async (presentation) => {
        const { page, others, sent, faults } = await open("/");
        const survey = page.getByRole("group", { name: question });
        // One is in the page from the start.
        await survey.waitFor();
        if (presentation !== "inline") {
          await page.locator(`[data-presentation=${presentation}]`).click();
          await page.locator("[data-afterword-slot]:empty").waitFor();
        }
        await survey.getByRole("radio").nth(3).click();
        await page.getByRole("textbox", { name: "What should it have done differently?" }).fill("Less talk");
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByText("Thank you for your feedback.").waitFor();
        await page.goto(`${site.url}/start/page/`);
        expect([others, sent, faults]).toEqual([[], [], []]);
        await page.context().close();
      },
    );

    it("takes a vote with a reason, and no request leaves", async () => {
      const { page, others, sent, faults } = await open("/");
      const thumbs = page.locator("afterword-thumbs");
      await thumbs.locator("[part~=down]").click();
      await thumbs.getByRole("button", { name: "Incomplete" }).click();
      await thumbs.getByRole("textbox").fill("Which account?");
      await thumbs.locator("[part~=send]").click();
      await expect.poll(() => thumbs.getByRole("status").textContent()).toMatch(/\S/);
      await expect.poll(() => thumbs.locator("[part~=undo]").isVisible()).toBe(false);
      await page.goto(`${site.url}/start/page/`);
      const kept = await page.evaluate(() => Object.keys(localStorage).join());
      expect(kept).not.toContain("afterword");
      expect([others, sent, faults]).toEqual([[], [], []]);
      await page.context().close();
    });
  });
});
