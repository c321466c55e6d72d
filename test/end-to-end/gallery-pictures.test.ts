import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import type { BrowserContextOptions } from "playwright-core";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { type State, useGallery } from "./gallery-browser.ts";

// Pictures that are looked at by people and kept: made anew with AFTERWORD_PICTURES=keep after a change of the look.
const kept = fileURLToPath(new URL("../../packages/browser/gallery/pictures/", import.meta.url));
/** Share of the picture that may differ: another processor rounds the edges of letters differently. */
const tolerance = 0.002;

const open = useGallery();
const window = { width: 440, height: 440 };
const readme = { width: 840, height: 400 };
const underAnswer = { width: 430, height: 335 };
const wide = { width: 900, height: 380 };
const phone = { viewport: { width: 360, height: 560 }, hasTouch: true, isMobile: true };
const dark = { theme: "dark", page: "dark" };
const low = { rating: 2, text: "It took three tries to find a hotel." };
const foot = { definition: { showBadge: true }, options: { privacyLink: "https://example.org/privacy" } };

const pictures: [name: string, state: State, context?: BrowserContextOptions][] = [
  ["nps", { type: "nps", ...foot }],
  ["csat-follow-up", { type: "csat", draft: low }],
  ["ces-dark", { type: "ces", draft: { rating: 6 }, ...dark }],
  ["pmf", { type: "pmf", draft: { rating: 1 }, density: "compact" }],
  ["banner", { type: "nps", place: "banner" }, { viewport: wide }],
  [
    "banner-bottom-dark",
    { type: "csat", place: "banner bottom", draft: low, ...dark, ...foot },
    { viewport: wide },
  ],
  ["banner-card", { type: "nps", place: "banner", draft: { rating: 4 }, ...foot }, { viewport: wide }],
  ["inline", { type: "ces", place: "inline" }],
  ["inline-wide", { type: "nps", place: "inline", page: "wide" }, { viewport: wide }],
  ["right-to-left", { type: "csat", language: "ar", draft: { rating: 2 } }],
  ["phone-nps", { type: "nps", ...foot }, phone],
  ["phone-thumbs", { thumbs: "down chosen" }, phone],
  ["phone-pmf-dark", { type: "pmf", draft: { rating: 2 }, ...dark }, phone],
  ["forced-colours", { type: "csat", draft: { rating: 4 } }, { forcedColors: "active" }],
  ["sending", { type: "csat", draft: low, result: "never" }],
  ["stored", { type: "csat", result: "stored", draft: { rating: 5 } }],
  ["queued-dark", { type: "csat", result: "queued", draft: { rating: 5 }, ...dark }],
  ["already", { type: "csat", result: "already", draft: { rating: 5 } }],
  ["refused-dark", { type: "csat", result: "refused", draft: { rating: 5 }, ...dark }],
  ["thumbs-open", { thumbs: "open" }],
  ["thumbs-up", { thumbs: "up" }],
  ["thumbs-down", { thumbs: "down" }],
  ["thumbs-stored", { thumbs: "up stored" }],
  ["thumbs-earlier-dark", { thumbs: "up earlier", ...dark }],
  ["thumbs-right-to-left", { thumbs: "down chosen", language: "ar" }],
  ["thumbs-forced-colours", { thumbs: "down chosen" }, { forcedColors: "active" }],
  // Those that the README shows.
  ["thumbs", { thumbs: "down chosen", page: "picture" }, { viewport: underAnswer, deviceScaleFactor: 2 }],
  [
    "thumbs-dark",
    { thumbs: "down chosen", page: "picture dark" },
    { viewport: underAnswer, deviceScaleFactor: 2 },
  ],
  [
    "widget",
    { type: "csat", page: "picture", draft: { rating: 5 } },
    { viewport: readme, deviceScaleFactor: 2 },
  ],
  [
    "widget-dark",
    { type: "csat", draft: { rating: 5 }, theme: "dark", page: "picture dark" },
    { viewport: readme, deviceScaleFactor: 2 },
  ],
  ["small-window", { type: "nps", draft: { rating: 3 } }, { viewport: { width: 320, height: 256 } }],
];

describe("the widget looks as in the picture that is kept", () => {
  it.each(pictures)("%s", async (name, state, context = {}) => {
    const { page, close } = await open(state, { viewport: window, ...context });
    await page.evaluate(() => document.fonts.ready);
    await page.waitForFunction(() => !document.querySelector("afterword-view section [part=send]:active"));
    const seen = await page.screenshot({ animations: "disabled", caret: "hide" });
    await close();
    const file = `${kept}${name}.png`;
    if (process.env["AFTERWORD_PICTURES"] === "keep") writeFileSync(file, seen);
    expect(difference(PNG.sync.read(readFileSync(file)), PNG.sync.read(seen))).toBeLessThan(tolerance);
  });
});

it("the comparison detects a different button colour", async () => {
  const { page, close } = await open({ type: "csat", draft: low }, { viewport: window });
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("html { --afterword-accent: #b3261e }");
    document.adoptedStyleSheets.push(sheet);
  });
  const seen = await page.screenshot({ animations: "disabled", caret: "hide" });
  await close();
  const before = PNG.sync.read(readFileSync(`${kept}csat-follow-up.png`));
  expect(difference(before, PNG.sync.read(seen))).toBeGreaterThan(tolerance);
});

/** Share of the points that differ, 0 to 1; 1 where even the sizes do. */
function difference(one: PNG, other: PNG): number {
  const { width, height } = one;
  if (width !== other.width || height !== other.height) return 1;
  return pixelmatch(one.data, other.data, undefined, width, height, { threshold: 0.1 }) / (width * height);
}
