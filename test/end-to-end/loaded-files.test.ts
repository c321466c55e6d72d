import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { publishableKeys } from "./browser-stage.ts";
import { newPerson, useWorld } from "./browser-world.ts";

// What docs/browser/sizes.md says that a browser has loaded, against the network log of a real one. Figures of bundles are
// written anew with AFTERWORD_SIZES=keep.
const world = useWorld();
const pagePath = fileURLToPath(new URL("../../docs/browser/sizes.md", import.meta.url));
const sizesPage = readFileSync(pagePath, "utf8");

/** The files of a row of the page's table. */
const filesOf = (use: string) =>
  new RegExp(`^\\| ${use.replaceAll(/[()]/g, "\\$&")} \\|.*<!-- brotli (.+?) -->`, "m")
    .exec(sizesPage)![1]!
    .split(" + ");

/** The files of the widget that a profile asks for, without their version. */
function watch(profile: BrowserContext, folder: string) {
  const asked: string[] = [];
  profile.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith(folder)) asked.push(pathname.slice(folder.length) || "index.html");
  });
  return asked;
}

const run = `survey-id="manual" session-id="s" token="t"`;
const thumbs = `<script type="module" src="/afterword/afterword-thumbs.js"></script><afterword-thumbs ${run}`;
const survey = (page: Page) => page.locator("afterword-view").waitFor({ state: "attached" });
const buttons = (page: Page) => page.locator("afterword-thumbs [part=up]").waitFor();
const headless = `<script type="module">
  import { createHeadlessAfterword } from "/afterword/headless.js";
  const { key, baseUrl } = document.querySelector("script[data-key]").dataset;
  const afterword = createHeadlessAfterword({ key, baseUrl });
  afterword.ask("when-asked");
  afterword.subscribe(() => (window.isOpen = true));
</script>`;

const uses: [
  use: string,
  page: { before?: string; body?: string },
  isUsable: (page: Page) => Promise<unknown>,
][] = [
  ["no survey shows", {}, (page) => page.waitForFunction("afterword.isOpen")],
  ["a survey in the corner or a banner, ready to send", { before: `afterword("ask", "when-asked")` }, survey],
  [
    "a survey in an element, ready to send",
    { body: `<afterword-survey slug="in-the-page"></afterword-survey>` },
    survey,
  ],
  ["thumbs, before a press", { body: `${thumbs}></afterword-thumbs>` }, buttons],
  ["thumbs that show an earlier vote", { body: `${thumbs} value="up"></afterword-thumbs>` }, buttons],
  [
    "`rate`",
    { before: `window.run = { surveyId: "manual", sessionId: "s", token: "t" }` },
    (page) => page.evaluate(`new Promise((ready) => afterword("rate", run, {}, { ready }))`),
  ],
];

describe("what the page says that a browser has loaded", () => {
  it.each(uses)("%s", async (use, options, isUsable) => {
    const profile = await world.newContext();
    const asked = watch(profile, "/afterword/");
    const before = `afterword("identify", "${newPerson()}"); ${options.before ?? ""}`;
    const { page } = await world.open({ ...options, before }, profile);
    await isUsable(page);
    await page.waitForLoadState("networkidle");
    expect(asked.toSorted()).toEqual(filesOf(use).toSorted());
  });

  it("headless, with an open survey", async () => {
    const profile = await world.newContext();
    const asked = watch(profile, "/afterword/");
    const { page } = await world.open({ body: headless }, profile);
    await page.waitForFunction("window.isOpen");
    await page.waitForLoadState("networkidle");
    // The page of the test has the script tag, too.
    expect(asked.filter((file) => file !== "afterword.js").toSorted()).toEqual(
      filesOf("headless, with an open survey").toSorted(),
    );
  });
});

/** A page of npm's package with one use of it, and how many bytes of brotli it has loaded by then. */
async function bundledBytes(source: string, isUsable: (page: Page) => Promise<unknown>): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL("../../packages/react", import.meta.url)) },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "/",
    entryNames: "page",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "error",
    tsconfigRaw: {},
  });
  const profile = await world.newContext();
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const loaded = new Set<string>();
  await profile.route("**/*.js", async (route) => {
    const { pathname } = new URL(route.request().url());
    const body = texts.get(pathname);
    // The page's script tag: the bundle would join its client and load none of its own files.
    if (pathname === "/afterword/afterword.js") return route.abort();
    if (!body) return route.fallback();
    loaded.add(pathname);
    return route.fulfill({ body, contentType: "text/javascript" });
  });
  const given = { options: { key: publishableKeys.quiet, baseUrl: world.proxy.url }, userId: newPerson() };
  const page = await profile.newPage();
  await page.addInitScript(`window.given = ${JSON.stringify(given)}`);
  await page.goto(world.publish());
  await page.setContent(
    `<!doctype html><title>Bundled</title><main></main><script type="module" src="/page.js"></script>`,
  );
  await isUsable(page);
  await page.waitForLoadState("networkidle");
  const params = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return [...loaded].reduce((sum, path) => sum + brotliCompressSync(texts.get(path)!, params).length, 0);
}

const client = `const { options, userId } = given; const afterword = createAfterword(options); afterword.identify(userId);`;
const bundles: [name: string, source: string, isUsable: (page: Page) => Promise<unknown>][] = [
  [
    "corner",
    `import { createAfterword } from "@afterword/browser"; ${client} afterword.ask("when-asked");`,
    survey,
  ],
  [
    "thumbs",
    `import { createAfterword } from "@afterword/browser";
    import { defineThumbsElement } from "@afterword/browser/thumbs"; ${client} defineThumbsElement(afterword.rate);
    document.querySelector("main").innerHTML = '<afterword-thumbs ${run}></afterword-thumbs>';`,
    buttons,
  ],
  [
    "headless",
    `import { createHeadlessAfterword } from "@afterword/browser/headless";
    const afterword = createHeadlessAfterword(given.options); afterword.ask("when-asked");
    afterword.subscribe(() => (window.isOpen = true));`,
    (page) => page.waitForFunction("window.isOpen"),
  ],
];

describe("what the page says of bundles, to two per cent", () => {
  const quoted = (name: string) => new RegExp(`(<!-- bundled ${name} -->)([\\d,]+)`);
  it.each(bundles)("%s", async (name, source, isUsable) => {
    const bytes = await bundledBytes(source, isUsable);
    if (process.env["AFTERWORD_SIZES"] === "keep") {
      const text = readFileSync(pagePath, "utf8");
      writeFileSync(pagePath, text.replace(quoted(name), `$1${bytes.toLocaleString("en")}`));
    }
    const told = Number(quoted(name).exec(readFileSync(pagePath, "utf8"))![2]!.replaceAll(",", ""));
    expect(Math.abs(told / bytes - 1)).toBeLessThan(0.02);
  });
});
