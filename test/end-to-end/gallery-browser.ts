import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { serveGallery } from "../../packages/browser/gallery/serve.ts";
import type { Report } from "../../packages/browser/gallery/report.ts";
import { chromiumArguments } from "../chromium.ts";
import { sharedBrowser } from "./shared-browser.ts";

/** What one state of the widget is made of; see `gallery/state.ts`. Objects travel as JSON. */
export type State = Record<string, string | number | boolean | object>;

/** The gallery's page with one survey, in a context of its own. */
export interface GalleryPage {
  page: Page;
  /** The widget's region. */
  card: Locator;
  radios: Locator;
  /** The radio with this rating. */
  radio: (rating: number) => Locator;
  button: (name: string) => Locator;
  /** What the view has told the core since it was shown. */
  reports: () => Promise<Report[]>;
  /** Errors, rejections and refusals of the content security policy. */
  faults: string[];
  /** Gives the page back: the next state is opened in it. */
  close: () => Promise<void>;
}

/** The gallery, for all files of a worker. */
let gallery: ReturnType<typeof serveGallery> | undefined;

/** Opens states of the gallery in the worker's browser, or with flags in one of the file's own. */
export function useGallery(
  ...flags: string[]
): (state?: State, context?: BrowserContextOptions) => Promise<GalleryPage> {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  /** Pages that were given back, by the options of their contexts: a new context costs most of what opening does. */
  const idle = new Map<string, Page[]>();
  beforeAll(async () => {
    const args = [...chromiumArguments, ...flags];
    browser =
      flags.length === 0
        ? await sharedBrowser()
        : await chromium.launch({ executablePath: inject("chromiumPath"), args });
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    if (flags.length > 0) await browser?.close();
  });
  const newPage = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    contexts.push(context);
    return context.newPage();
  };
  return async (state = {}, { viewport = { width: 1280, height: 720 }, ...options } = {}) => {
    const kind = JSON.stringify(options);
    const page = idle.get(kind)?.pop() ?? (await newPage({ viewport, ...options }));
    if (viewport) await page.setViewportSize(viewport);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`${(await (gallery ??= serveGallery())).url}/state?${query(state)}`);
    const shown = "thumbs" in state ? "afterword-thumbs [part=up]" : "afterword-view section";
    if (!("later" in state)) await page.locator(shown).waitFor({ state: "attached" });
    const close = async () => {
      page.removeAllListeners();
      idle.set(kind, [...(idle.get(kind) ?? []), page]);
    };
    return { ...partsOf(page), faults, close };
  };
}

/** The part of an address that asks for a state. */
export function query(state: State): string {
  const texts = Object.entries(state).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(texts).toString();
}

function partsOf(page: Page): Omit<GalleryPage, "faults" | "close"> {
  const card = page.locator("afterword-view section");
  return {
    page,
    card,
    radios: card.getByRole("radio"),
    radio: (rating) => card.locator(`input[value="${rating}"]`),
    button: (name) => card.getByRole("button", { name }),
    reports: () => page.evaluate(() => window.reports),
  };
}

/** Style of the page, adopted because the policy of the gallery's page refuses style elements. */
export const adoptStyle = (page: Page, css: string) =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, css);
