import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Document, type Site, startSite } from "./browser-site.ts";
import { publishableKeys } from "./browser-stage.ts";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();

/** The built package in a page of React's own, with content below. */
const source = `
  import { AfterwordProvider, InlineSurvey, Thumbs } from "./dist/index.js";
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  const { options, userId, rated, asked } = given;
  createRoot(document.querySelector("main")).render(
    createElement(AfterwordProvider, { options, userId },
      createElement("p", null, "Your refund is on its way."),
      createElement(Thumbs, { run: rated }),
      createElement("p", { id: "between" }, "Anything else?"),
      createElement(InlineSurvey, { slug: "in-the-page", run: asked }),
      createElement("p", { id: "below" }, "Where is my order?")));
`;

let site: Site;
const documents = new Map<string, Document>();
/** The files that the page fetches once it needs them. */
let onDemand: string[];

beforeAll(async () => {
  const resolveDir = fileURLToPath(new URL("../../packages/react", import.meta.url));
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir },
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "/",
    entryNames: "page",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    metafile: true,
    logLevel: "error",
    tsconfigRaw: {},
  });
  for (const { path, text } of outputFiles) documents.set(path, { type: "text/javascript", text });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  onDemand = imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => basename(path));
  site = await startSite(documents);
});
afterAll(() => site?.stop());

const observer = `window.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries()))
    .observe({ type: "layout-shift", buffered: true });`;

/** A page whose service, and whose files on demand, answer only once they are released. */
async function openSlowly(context: BrowserContextOptions) {
  const person = newPerson();
  const handedOver = async (surveyId: string) => {
    const { token, sessionId } = await world.mint(surveyId, person, `${person}-${surveyId}`);
    return { tokens: { [surveyId]: token }, sessionId };
  };
  const options = { key: publishableKeys.quiet, baseUrl: world.proxy.url };
  const [rated, asked] = [await handedOver("manual"), await handedOver("inline")];
  const { promise: untilReleased, resolve: release } = Promise.withResolvers<void>();
  world.proxy.fault = () => ({ untilReleased });
  const page = await (await world.newContext(context)).newPage();
  await page.addInitScript(observer);
  await page.route(
    ({ pathname }) => onDemand.includes(basename(pathname)),
    async (route) => {
      await untilReleased;
      await route.continue();
    },
  );
  const given = JSON.stringify({ options, userId: person, rated, asked });
  const text = `<!doctype html><meta name="viewport" content="width=device-width"><title>Chat</title><main></main>
    <script>window.given = ${given}</script><script type="module" src="/page.js"></script>`;
  documents.set(`/${person}`, { type: "text/html", text });
  await page.goto(`${site.url}/${person}`);
  return { page, release };
}

const topsOf = (page: Page) =>
  page.evaluate(() =>
    ["#between", "#below"].map((selector) => document.querySelector(selector)!.getBoundingClientRect().top),
  );

/** Once the browser has drawn what is there. */
const shiftsIn = (page: Page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    return (window as unknown as { shifts: { value: number }[] }).shifts.map(({ value }) => value);
  });

describe("thumbs and an inline survey of React on a slow service", () => {
  it.each<[string, BrowserContextOptions]>([
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
    ["a phone", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }],
  ])("keep their space, so that nothing moves when they appear on %s", async (_, context) => {
    const { page, release } = await openSlowly(context);
    await page.locator("#below").waitFor();
    expect(await page.locator("afterword-thumbs button, input").count()).toBe(0);
    expect(await shiftsIn(page)).toEqual([]);
    const before = await topsOf(page);
    release();
    await page.locator("input[value='7']").waitFor();
    await page.locator("afterword-thumbs button").first().waitFor();
    expect(await shiftsIn(page)).toEqual([]);
    expect(await topsOf(page)).toEqual(before);
  });
});
