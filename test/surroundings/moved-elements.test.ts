import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";
import { withoutTokenChecks } from "../end-to-end/fault-proxy.ts";

const world = useWorld();
beforeAll(() => void (world.proxy.fault = withoutTokenChecks));
const source = (path: string) =>
  readFileSync(fileURLToPath(new URL(`node_modules/${path}`, import.meta.url)), "utf8");
const turbo = source("@hotwired/turbo/dist/turbo.es2017-umd.js");
const htmx = source("htmx.org/dist/htmx.js");

const survey = `<afterword-survey slug="in-the-page"></afterword-survey>`;
const thumbs = `<script type="module" src="/afterword/afterword-thumbs.js"></script>
  <afterword-thumbs survey-id="worded" session-id="run" token="t"></afterword-thumbs>`;
const identify = () => `afterword("identify", "${newPerson()}");`;

/** How many views there are, and how many of them are drawn. */
const views = (page: Page) =>
  page
    .locator("afterword-view")
    .evaluateAll((all) => [
      all.length,
      all.filter(({ shadowRoot }) => shadowRoot?.querySelector("form")).length,
    ]);

describe("markup that is put back has the living survey alone", () => {
  it("by Turbo, each time that the person goes back", async () => {
    const other = world.publish({ body: "<h1>Other</h1>" });
    // A survey that closes with an animation is still in the body when Turbo copies that.
    const context = await world.newContext({ reducedMotion: "no-preference" });
    const body = `<a href="${new URL(other).pathname}">Other</a>${survey}`;
    const { page } = await world.open({ before: turbo + identify(), body }, context);
    await page.evaluate("window.isSamePage = true");
    for (let times = 0; times < 3; times += 1) {
      await page.locator("afterword-view form").waitFor();
      await page.locator("a", { hasText: "Other" }).click();
      await page.locator("h1", { hasText: "Other" }).waitFor();
      await page.goBack();
      await page.locator("afterword-view form").waitFor();
      expect(await views(page)).toEqual([1, 1]);
      expect(await page.evaluate("window.isSamePage")).toBe(true);
    }
    await page.locator("afterword-view [type=radio]").first().click();
    await page.locator("afterword-view [part=send]").click();
    await page.getByText("Thank you").waitFor();
  });

  it("by htmx, which swaps in what it fetched or kept", async () => {
    const { page } = await world.open({ before: identify(), body: `<main>${survey}</main>` });
    await page.addScriptTag({ content: htmx });
    await page.locator("afterword-view form").waitFor();
    const kept = await page.locator("main").evaluate((main) => main.innerHTML);
    await page.evaluate(
      (kept) =>
        (window as unknown as { htmx: { swap(options: object): Promise<void> } }).htmx.swap({
          target: "main",
          text: kept,
          swap: "innerHTML",
        }),
      kept,
    );
    await page.locator("afterword-view form").waitFor();
    expect(await views(page)).toEqual([1, 1]);
  });

  it.each([
    ["a copy beside it", "slot.after(slot.cloneNode(true))"],
    ["its own text", "slot.outerHTML = slot.outerHTML"],
    ["a copy of the whole body", "document.body.replaceWith(document.body.cloneNode(true))"],
  ])("by a script of the page: %s", async (_, script) => {
    const { page } = await world.open({
      before: identify(),
      body: `<div data-afterword-slot="in-the-page"></div>`,
    });
    await page.evaluate(`afterword("ask", "in-the-page")`);
    await page.locator("afterword-view form").waitFor();
    await page.evaluate(`{ const slot = document.querySelector("[data-afterword-slot]"); ${script} }`);
    const [all, drawn] = await views(page);
    expect(all).toBe(drawn);
    await page.evaluate(`afterword("ask", "in-the-page")`);
    await page.locator("afterword-view form").waitFor();
    expect(await views(page)).toEqual([1, 1]);
  });
});

describe("moved to the document of a frame or of another window", () => {
  /** What of an element's look comes from its own style sheet. */
  const look = (page: Page, selector: string) =>
    page.evaluate((selector) => {
      const windows = [window, frames[0], (window as unknown as { popped?: Window }).popped];
      for (const one of windows) {
        const host = one?.document.querySelector(selector);
        const element = host?.shadowRoot?.querySelector("button, section");
        if (!element) continue;
        const { minHeight, display, borderRadius } = getComputedStyle(element);
        return [one === window, minHeight, display, borderRadius];
      }
      return [];
    }, selector);

  it.each([
    ["a frame", `document.body.appendChild(document.createElement("iframe")).contentDocument.body`],
    ["a window", `(window.popped = open("", "", "width=500,height=500")).document.body`],
  ])("thumbs and inline surveys keep their style, and work: %s", async (_, target) => {
    const { page } = await world.open({ before: identify(), body: `<div id="all">${thumbs}${survey}</div>` });
    await page.locator("afterword-view form").waitFor();
    await page.locator("afterword-thumbs [part=up]").waitFor();
    const hosts = ["afterword-thumbs", "afterword-view"];
    const before = await Promise.all(hosts.map((host) => look(page, host)));
    await page.evaluate(`void ${target}.append(document.querySelector("#all"))`);
    const after = await Promise.all(hosts.map((host) => look(page, host)));
    expect(after).toEqual(before.map(([, ...rest]) => [false, ...rest]));
    // Back in the page they are as they were.
    await page.evaluate(`document.body.append((window.popped ?? frames[0]).document.querySelector("#all"))`);
    expect(await Promise.all(hosts.map((host) => look(page, host)))).toEqual(before);
    await page.locator("afterword-thumbs [part=down]").click();
    await page.locator("afterword-thumbs [part=text]").waitFor();
  });
});
