import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

// What docs/browser/sizes.md says that a browser has loaded, against the network log of a real one.
const world = useWorld();
const sizesPage = readFileSync(new URL("../../docs/browser/sizes.md", import.meta.url), "utf8");

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
  ["a survey, ready to send", { body: `<afterword-survey slug="in-the-page"></afterword-survey>` }, survey],
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
