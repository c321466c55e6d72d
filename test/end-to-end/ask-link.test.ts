import { readFile } from "node:fs/promises";
import { type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { Afterword, askLink, type AskLinkOptions } from "@afterword/node";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveGallery } from "../../packages/browser/gallery/serve.ts";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";
import { isFullProof } from "../faults/proof-scale.ts";
import { adoptStyle } from "./gallery-browser.ts";
import { differenceToKept, tolerance } from "./kept-pictures.ts";
import { sharedBrowser } from "./shared-browser.ts";

const folder = fileURLToPath(new URL("../../packages/browser/dist/ask/", import.meta.url));
const types: Record<string, string> = { html: "text/html", css: "text/css", js: "text/javascript" };
const day = 24 * 3_600_000;
const bootstrap = "**/v1/sdk/bootstrap";
const check = "**/v1/sdk/tokens/check";
const responses = "**/v1/sdk/responses";

let service: RunningServer;
let client: Afterword;
const contexts: BrowserContext[] = [];
let site: Awaited<ReturnType<typeof serveLocally>>;
let pageUrl: string;
/** What the site's log could hold of each request: address and headers. */
const logged: string[] = [];
/** How far the service's clock is ahead. */
let aheadInMs = 0;

/** Serves the folder as it is published, with the three places filled in as docs/browser/ask-page.md says. */
async function serveFile(request: IncomingMessage): Promise<[type: string, body: string | Buffer]> {
  const name = request.url!.replace(/^\/ask\//, "").replace(/\?.*/, "") || "index.html";
  const body = await readFile(folder + name);
  const type = types[name.split(".").at(-1)!]!;
  if (type !== "text/html") return [type, body];
  const filled = String(body).replaceAll("https://feedback.example.com", service.url);
  return [type, filled.replace("aw_pk_your_key", service.projects[0]!.publishableKey)];
}

beforeAll(async () => {
  site = await serveLocally(async (request, reply) => {
    logged.push(JSON.stringify([request.method, request.url, request.headers]));
    const [type, body] = await serveFile(request).catch(() => ["", ""] as const);
    if (!type) return reply.writeHead(404).end();
    return reply.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
  const origin = site.url;
  pageUrl = `${origin}/ask/`;
  const survey = {
    type: "csat",
    question: "Did the report help?",
    followUpQuestion: "What was missing?",
    presentation: "corner",
    trigger: "auto",
  } as const;
  const surveys = [
    // Neither keeps a link from being answered: its server has decided to ask.
    { ...survey, id: "report", slug: "report", status: "active", samplePercent: 0 } as const,
    { ...survey, id: "another", slug: "another", status: "active" } as const,
    { ...survey, id: "paused", slug: "paused", status: "paused" } as const,
  ];
  service = await startServer({
    config: { projects: [{ id: "p", name: "P", allowedOrigins: [origin], surveys }], rateLimits: false },
    clock: { now: () => Date.now() + aheadInMs },
  });
  client = new Afterword({ secretKey: service.projects[0]!.secretKey!, baseUrl: service.url });
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await site?.close();
  await service?.close();
});

async function listed<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

let people = 0;
/** A link for a person of their own, and what the service has of them. */
async function linkFor(look: Partial<AskLinkOptions> = {}, surveyId = "report") {
  const respondentId = `person-${++people}`;
  const sessionId = `run of ${respondentId}`;
  const { tokens } = await client.mint({ respondentId, sessionId, surveyId });
  const token = tokens[surveyId]!;
  const url = askLink({ page: pageUrl, surveyId, token, sessionId, ...look });
  const stored = async () =>
    (await listed(client.privacy.export({ respondentId }))).map(({ rating, text }) => ({
      rating,
      text,
    }));
  /** Whether neither an answer nor a dismissal has spent it. */
  const isUnspent = async () => {
    const body = JSON.stringify({
      key: service.projects[0]!.publishableKey,
      showToken: token,
      surveyId,
      rating: 5,
    });
    return (await fetch(`${service.url}/v1/sdk/responses`, { method: "POST", body })).status === 201;
  };
  return { url, token, sessionId, surveyId, stored, isUnspent };
}

/** Opens a link as a person does, and what the browser complained about. */
async function open(
  url: string,
  options: BrowserContextOptions = {},
  prepare?: (page: Page) => Promise<unknown>,
) {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-US", ...options });
  contexts.push(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await prepare?.(page);
  await page.goto(url);
  return { context, page, faults };
}

const rate = async (page: Page, rating: number, text?: string) => {
  await page.locator(`input[value="${rating}"]`).check();
  if (text) await page.getByRole("textbox").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
};

describe("a link that asks later", () => {
  it("leads from the mint to a rating on this very run", async () => {
    const { url, sessionId, stored } = await linkFor();
    const { page, faults } = await open(url);
    await rate(page, 2, "Half of it was missing");
    await page.getByText("Thank you").waitFor();
    expect(await stored()).toEqual([{ rating: 2, text: "Half of it was missing" }]);
    const rows = await listed(client.pendingScores());
    expect(rows.filter((row) => row.sessionId === sessionId)).toMatchObject([
      { rating: 2, surveyId: "report" },
    ]);
    expect(faults).toEqual([]);
  });

  it("keeps its token out of every request to the site, and out of search engines and referrers", async () => {
    const { url, token } = await linkFor();
    const { page } = await open(url);
    await page.getByRole("radio").first().waitFor();
    expect(logged.length).toBeGreaterThan(2);
    expect(logged.filter((line) => line.includes(token) || line.includes("report"))).toEqual([]);
    const meta = (name: string) => page.locator(`meta[name=${name}]`).getAttribute("content");
    expect(await meta("robots")).toContain("noindex");
    expect(await meta("referrer")).toBe("no-referrer");
  });

  it("takes name, language and theme from the link, and no markup", async () => {
    const look = { name: "Søren’s shop", language: "de-AT", theme: "dark" } as const;
    const { url } = await linkFor(look);
    const { page, faults } = await open(url);
    await page.getByText("Von „Søren’s shop“").waitFor();
    await page.getByRole("radio", { name: /Sehr zufrieden/ }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
      "rgb(16, 18, 22)",
    );
    await page.goto("about:blank");
    await page.goto(url.replace(/name=[^&]*/, `name=${encodeURIComponent("<img src=x>")}`));
    await page.getByRole("heading", { name: "Feedback" }).waitFor();
    expect(await page.locator(".sender").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("leaves a sentence when it is closed after the answer, and another one while that waits for the network", async () => {
    const { url, stored } = await linkFor();
    const { page } = await open(url);
    await page.route(responses, (route) => route.abort());
    await rate(page, 4);
    await page.getByText("has not been sent yet").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("Keep this page open.").waitFor();
    await page.unroute(responses);
    await page.evaluate(`dispatchEvent(new Event("online"))`);
    await page.getByText("Your answer was sent. You can close this page.").waitFor();
    expect(await stored()).toEqual([{ rating: 4, text: null }]);
    expect(await page.getByRole("button").count()).toBe(0);
  });

  const looks: [string, BrowserContextOptions][] = [
    ["a phone", { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }],
    ["dark", { colorScheme: "dark" }],
    ["wide", { viewport: { width: 1000, height: 700 } }],
    ["right to left", { locale: "ar" }],
  ];
  it.each(isFullProof ? looks : looks.slice(0, 2))(
    "%s: axe finds nothing, and nothing overflows",
    async (_, options) => {
      const { url } = await linkFor({ name: "Example Agents" });
      const { page } = await open(url, options);
      await page.getByRole("radio").first().waitFor();
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    },
  );
});

/** The letters of the kept pictures, whatever fonts a machine has. A font of the page's own bytes is within its policy. */
async function setGalleryFont(page: Page): Promise<void> {
  const gallery = await serveGallery();
  const font = await (await fetch(`${gallery.url}/fonts/inter.woff2`)).bytes();
  gallery.stop();
  await page.evaluate(
    async (bytes) => {
      document.fonts.add(await new FontFace("Gallery", Uint8Array.from(bytes), { weight: "100 900" }).load());
    },
    [...font],
  );
  await adoptStyle(page, "html { font-family: Gallery !important; --afterword-font: Gallery }");
}

it.each(["light", "dark"] as const)(
  "the page looks as in the picture that is kept, %s",
  async (colorScheme) => {
    const { url } = await linkFor({ name: "Example Agents", about: "Trip to Lisbon" });
    const { page } = await open(url, { colorScheme, viewport: { width: 440, height: 520 } });
    await setGalleryFont(page);
    await page.locator('input[value="2"]').check();
    await page.mouse.move(0, 0);
    const seen = await page.screenshot({ animations: "disabled", caret: "hide" });
    expect(differenceToKept(`ask-page-${colorScheme}`, seen)).toBeLessThan(tolerance);
  },
);

describe("what stores nothing and spends no token", () => {
  it("a link scanner: GET, HEAD, a prefetch, and a headless visit that never clicks", async () => {
    const { url, stored, isUnspent } = await linkFor();
    for (const method of ["GET", "HEAD"]) expect((await fetch(url, { method })).status).toBe(200);
    const { page } = await open(pageUrl.replace("/ask/", "/ask/ask.css"));
    await page.evaluate(async (href) => {
      const link = Object.assign(document.createElement("link"), { rel: "prefetch", href });
      const end = new Promise((resolve) => link.addEventListener("load", resolve));
      document.head.append(link);
      await end;
    }, url);
    for (let visit = 0; visit < 2; visit++) {
      const { page, context } = await open(url);
      await page.getByRole("radio").first().waitFor();
      await page.mouse.move(200, 200);
      await page.mouse.wheel(0, 300);
      await page.reload();
      await page.getByRole("radio").first().waitFor();
      await context.close();
    }
    expect(await stored()).toEqual([]);
    expect(await isUnspent()).toBe(true);
  });

  it.each([
    ["by leaving", (page: Page) => page.goto("about:blank")],
    ["by closing the survey", (page: Page) => page.getByRole("button", { name: "Close" }).click()],
    [
      "by coming back to the page in the browser's cache",
      (page: Page) =>
        page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`),
    ],
  ])("a rating that was chosen and not sent: %s", async (_, end) => {
    const { url, stored, isUnspent } = await linkFor();
    const { page } = await open(url);
    await page.locator(`input[value="1"]`).check();
    await end(page);
    expect(await stored()).toEqual([]);
    expect(await isUnspent()).toBe(true);
  });
});

describe("a link that cannot be answered says so at once", () => {
  it("used before, and keeps the first answer", async () => {
    const { url, stored } = await linkFor();
    const first = await open(url);
    await rate(first.page, 4);
    await first.page.getByText("Thank you").waitFor();
    const { page } = await open(url);
    await page.getByText("This link has already been used.").waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
    expect(await stored()).toEqual([{ rating: 4, text: null }]);
  });

  it("expired", async () => {
    const { url, stored } = await linkFor();
    aheadInMs = 8 * day;
    const { page } = await open(url);
    await page.getByText("This link has expired.").waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
    aheadInMs = 0;
    expect(await stored()).toEqual([]);
  });

  it("to a survey that is not active any more", async () => {
    const { url } = await linkFor({ surveyId: "paused" });
    const { page } = await open(url);
    await page.getByText("This link has expired.").waitFor();
    expect(await page.getByRole("button").count()).toBe(0);
  });

  it("incomplete, or with a token that the service refuses", async () => {
    const { url } = await linkFor({ token: "st2.made-up" });
    const { page } = await open(url);
    await page.getByText("This link is not valid.").waitFor();
    const cut = await open(pageUrl);
    await cut.page.getByText("This link is not valid.").waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
  });

  it("with the token of another survey of the project", async () => {
    const { url, isUnspent } = await linkFor({ surveyId: "another" });
    const { page } = await open(url);
    await page.getByText("This link is not valid.").waitFor();
    expect(await page.getByRole("radio").count()).toBe(0);
    expect(await isUnspent()).toBe(true);
  });

  it.each([
    ["if the service does not answer whether the token can be used", check],
    ["offline when it is opened", bootstrap],
  ])("%s, and shows the survey once the network is back", async (_, lost) => {
    const { url } = await linkFor();
    const { page } = await open(url, {}, (page) => page.route(lost, (route) => route.abort()));
    await page.getByText("could not be loaded").waitFor();
    await page.unroute(lost);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("radio").first().waitFor();
    expect(await page.getByText("could not be loaded").count()).toBe(0);
  });

  it("after fifteen seconds of a service that hangs, and tries again with what was begun", async () => {
    const { url, stored } = await linkFor();
    const { page } = await open(url);
    await page.locator(`input[value="3"]`).check();
    await page.clock.install();
    await page.route(bootstrap, () => {});
    await page.reload();
    await page.getByText("Loading…").waitFor();
    await page.clock.runFor(15_000);
    await page.getByText("could not be loaded").waitFor();
    await page.unroute(bootstrap);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(`input[value="3"]:checked`).waitFor();
    expect(await stored()).toEqual([]);
  });

  it("if the page's own script does not arrive", async () => {
    const { url } = await linkFor();
    const { page } = await open(url, {}, (page) => page.route("**/ask/ask.js", (route) => route.abort()));
    const words = page.getByText("could not be loaded");
    expect(await words.isVisible()).toBe(false);
    await page.evaluate(() => document.getAnimations().forEach((one) => one.finish()));
    expect(await words.isVisible()).toBe(true);
  });

  it("after Send, with the text, where the service cannot check a token beforehand", async () => {
    const { url, stored } = await linkFor();
    const first = await open(url);
    await rate(first.page, 4);
    await first.page.getByText("Thank you").waitFor();
    const { page } = await open(url, {}, (page) =>
      page.route(check, (route) => route.fulfill({ status: 404, json: { code: "not_found" } })),
    );
    await rate(page, 1, "A long thought");
    await page.getByText("This link has already been used.").waitFor();
    const kept = page.getByRole("textbox", { name: "This text was not sent." });
    expect(await kept.inputValue()).toBe("A long thought");
    expect(await kept.isEditable()).toBe(false);
    await page.reload();
    await rate(page, 1);
    expect(await kept.inputValue()).toBe("A long thought");
    expect(await stored()).toEqual([{ rating: 4, text: null }]);
  });
});
