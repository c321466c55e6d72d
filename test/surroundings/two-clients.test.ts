import { fileURLToPath } from "node:url";
import { startServer, type RunningServer } from "@afterword/server";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSite, type Document, type Site } from "../end-to-end/browser-site.ts";
import { startFaultProxy, type FaultProxy } from "../end-to-end/fault-proxy.ts";
import { sharedBrowser } from "../end-to-end/shared-browser.ts";

type Way = "npm" | "headless" | "react" | "tag";
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const keys = { a: "aw_pk_twoclients0123456789abcdaa", b: "aw_pk_twoclients0123456789abcdbb" };
const secretKey = "aw_sk_twoclients0123456789abcdaa";
const bootstrap = "/v1/sdk/bootstrap";

const survey = { type: "csat", trigger: "auto", presentation: "corner", status: "active" } as const;
const thumbs = { ...survey, trigger: "manual", unprompted: true, askAgain: { eachRun: true } } as const;
const inline = { ...survey, trigger: "manual", presentation: "inline" } as const;
const surveysOf = (key: string) => [
  { ...survey, id: "s", slug: "by-itself", question: `How was ${key}?` },
  { ...inline, id: "i", slug: "inside", question: "And in here?" },
  { ...thumbs, id: "t", slug: "thumbs", question: "Good?" },
];

let service: RunningServer;
let proxy: FaultProxy;
let site: Site;
const documents = new Map<string, Document>([
  [
    "/",
    {
      type: "text/html",
      text: "<!doctype html><html lang=en><title>Two</title><script type=module src=/starts.js></script></html>",
    },
  ],
]);

beforeAll(async () => {
  const project = { allowedOrigins: ["*"] };
  service = await startServer({
    config: {
      projects: [
        { ...project, id: "a", name: "A", publishableKey: keys.a, secretKey, surveys: surveysOf("a") },
        { ...project, id: "b", name: "B", publishableKey: keys.b, surveys: surveysOf("b") },
      ],
      rateLimits: false,
    },
  });
  proxy = await startFaultProxy(service.url);
  const { outputFiles } = await build({
    entryPoints: [at("starts.jsx")],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    jsx: "automatic",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"development"' },
    alias: {
      "@afterword/react": at("../../packages/react/dist/index.js"),
      "@afterword/browser": at("../../packages/browser/dist/npm"),
      "react": at("node_modules/react"),
    },
  });
  for (const { path, text } of outputFiles) documents.set(path, { type: "text/javascript", text });
  site = await startSite(documents);
});

afterAll(async () => {
  site?.stop();
  proxy?.stop();
  await service?.close();
});

async function mint(surveyId: string, respondentId: string) {
  const reply = await fetch(`${service.url}/v1/sdk/tokens`, {
    method: "POST",
    headers: { "authorization": `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({ respondentId, sessionId: "run", surveyId }),
  });
  return ((await reply.json()) as { tokens: Record<string, string> }).tokens[surveyId]!;
}

let people = 0;

/** A page without any client, what its console warns of, and its person, by whom the service is asked. */
async function openPage() {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const person = `person-of-two-${++people}`;
  const warnings: string[] = [];
  page.on("pageerror", (error) => warnings.push(error.message));
  page.on("console", (message) => {
    if (/warning|error/.test(message.type())) warnings.push(message.text());
  });
  await page.goto(site.url);
  await page.waitForFunction("window.starts");
  const options = { key: keys.a, baseUrl: proxy.url, conversationId: person };
  return {
    page,
    warnings,
    options,
    /** Starts clients one right after the other, as `window.clients`. */
    start: (...ways: (readonly [Way, object?])[]) =>
      page.evaluate(
        async ([ways, options]) => {
          const { starts, clients } = window as unknown as {
            starts: Record<string, (options: object) => unknown>;
            clients: unknown[];
          };
          for (const [way, own] of ways) clients.push(await starts[way]!({ ...options, ...own }));
        },
        [ways, options] as const,
      ),
    asked: (key = keys.a) =>
      proxy.sent(bootstrap).filter(({ body }) => body!["userId"] === person && body!["key"] === key).length,
    async stored() {
      const reply = await fetch(`${service.url}/v1/privacy/export?respondentId=${person}`, {
        headers: { authorization: `Bearer ${secretKey}` },
      });
      return ((await reply.json()) as { responses: { surveyId: string; rating: number }[] }).responses;
    },
    close: () => context.close(),
  };
}

/** The surveys that the page draws or holds for drawing. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const { clients } = window as unknown as { clients: { getSurvey?(): unknown }[] };
    const held = new Set(clients.map((client) => client.getSurvey?.()).filter(Boolean));
    return document.querySelectorAll("afterword-view").length + held.size;
  });

/** Answers the survey that shows, whoever draws it. */
async function answer(page: Page, rating: number) {
  await expect.poll(() => shown(page), { timeout: 15_000 }).toBeGreaterThan(0);
  await page.evaluate((rating) => {
    const { clients } = window as unknown as {
      clients: { getSurvey?(): { submit(answer: object): Promise<string>; done(): void } | undefined }[];
    };
    const held = clients.map((client) => client.getSurvey?.()).find(Boolean);
    return held?.submit({ rating }).then(() => held.done());
  }, rating);
  const radio = page.locator(`input[type=radio][value="${rating}"]`);
  if ((await radio.count()) === 0) return;
  await radio.check();
  await page.locator("[part=send]").click();
}

const ways: Way[] = ["npm", "tag", "react", "headless"];
const pairs = ways.flatMap((first) => ways.map((second) => [first, second] as const));

describe("two clients with one key", () => {
  it.each(pairs)("%s, then %s: one request, one survey, one answer, one person", async (...pair) => {
    const { page, start, asked, stored, warnings, close } = await openPage();
    await start([pair[0]], [pair[1]]);
    await expect.poll(() => shown(page), { timeout: 15_000 }).toBe(1);
    await answer(page, 2);
    await expect.poll(async () => (await stored()).length, { timeout: 15_000 }).toBe(1);
    expect(asked()).toBe(1);
    expect(warnings).toEqual([]);
    const known = await page.evaluate(() => {
      const { clients } = window as unknown as {
        clients: Record<"identify" | "respondent", (id?: string) => { id: string }>[];
      };
      clients[1]!.identify("mara");
      return clients.map((client) => client.respondent().id);
    });
    expect(known).toEqual(["mara", "mara"]);
    await close();
  });
});

describe("elements of the page, whichever copy has defined them", () => {
  const define = (page: Page) =>
    page.evaluate(() => {
      type Define = (command: unknown) => void;
      const { clients, defineSurveyElement, defineThumbsElement } = window as unknown as {
        clients: Record<"ask" | "rate", unknown>[];
      } & Record<"defineSurveyElement" | "defineThumbsElement", Define>;
      defineSurveyElement(clients.at(-1)!.ask);
      defineThumbsElement(clients.at(-1)!.rate);
    });
  const add = (page: Page, html: string) =>
    page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), html);
  const addThumbsFile = (page: Page) =>
    page.addScriptTag({ type: "module", url: `${site.url}/afterword/afterword-thumbs.js` });
  const inside = (page: Page) => page.locator("afterword-survey afterword-view");

  it.each([
    ["npm", "tag"],
    ["tag", "npm"],
  ] as const)("%s, then %s: an element shows one survey, and thumbs vote once", async (first, second) => {
    const { page, start, stored, options, warnings, close } = await openPage();
    for (const way of [first, second]) {
      await start([way]);
      if (way === "npm") await define(page);
      else await addThumbsFile(page);
    }
    const token = await mint("t", options.conversationId);
    await add(page, `<afterword-survey slug="inside"></afterword-survey>`);
    await add(page, `<afterword-thumbs survey-id="t" session-id="run" token="${token}"></afterword-thumbs>`);
    await inside(page).waitFor();
    await page.locator("[part=up]").click();
    await expect.poll(stored, { timeout: 15_000 }).toMatchObject([{ surveyId: "t", rating: 5 }]);
    expect(await inside(page).count()).toBe(1);
    expect(warnings).toEqual([]);
    await close();
  });

  it.each([
    ["npm", "tag"],
    ["tag", "npm"],
    ["tag", "tag"],
  ] as const)("%s, destroyed, then %s: an element asks the new client", async (first, second) => {
    const { page, start, warnings, close } = await openPage();
    await start([first]);
    if (first === "npm") await define(page);
    await page.evaluate(() =>
      (window as unknown as { clients: { destroy(): void }[] }).clients[0]!.destroy(),
    );
    await start([second]);
    if (second === "npm") await define(page);
    await add(page, `<afterword-survey slug="inside"></afterword-survey>`);
    await inside(page).waitFor();
    expect(warnings).toEqual([]);
    await close();
  });
});
