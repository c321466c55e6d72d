import { build } from "esbuild";
import type { FocusTrap, Options } from "focus-trap";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

declare global {
  interface Window {
    focusTrap: { createFocusTrap: (element: string, options?: Options) => FocusTrap };
    trap: FocusTrap;
  }
}

const open = useGallery();
let focusTrap = "";

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "focus-trap"`, resolveDir: import.meta.dirname },
    bundle: true,
    format: "iife",
    globalName: "focusTrap",
    write: false,
  });
  focusTrap = outputFiles[0]!.text;
});

/** Those that are plain data, for they travel into the page. */
type PlainOptions = { isolateSubtrees?: "inert"; tabbableOptions?: { getShadowRoot: true } };

/** The gallery's page with `main` in a trap, which the page's script makes as most do: without an option. */
async function openTrapped(state = {}, options: PlainOptions = {}) {
  const opened = await open({ later: true, ...state }, { bypassCSP: true });
  await opened.page.addScriptTag({ content: focusTrap });
  await opened.page.evaluate((options) => {
    window.trap = window.focusTrap.createFocusTrap("main", { delayInitialFocus: false, ...options });
  }, options);
  return opened;
}

const activate = (page: Page) => page.evaluate(() => void window.trap.activate());
const show = (page: Page) => page.evaluate(() => void window.show("?type=csat"));

describe("in a page with an active focus-trap", () => {
  it("with the documented line, Tab goes from the trap into the survey and back", async () => {
    const { page, card } = await openTrapped({}, { tabbableOptions: { getShadowRoot: true } });
    await activate(page);
    await show(page);
    await card.waitFor();
    await page.evaluate(() => void window.trap.updateContainerElements(["main", "afterword-view"]));
    await page.focus("#host-input");
    const places: string[] = [];
    for (let stop = 0; stop < 4; stop++) {
      await page.keyboard.press("Tab");
      places.push(await page.evaluate(() => document.activeElement!.localName));
    }
    expect(places).toContain("afterword-view");
    expect(places).toContain("a");
  });
});
