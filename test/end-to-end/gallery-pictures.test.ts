import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type State, useGallery } from "./gallery-browser.ts";
import { differenceToKept, tolerance } from "./kept-pictures.ts";

const open = useGallery();
const openLarge = useGallery("--blink-settings=defaultFontSize=32");
const window = { width: 440, height: 440 };
const readme = { width: 840, height: 400 };
const underAnswer = { width: 430, height: 335 };
const tall = { width: 440, height: 800 };
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
  ["more-contrast", { type: "nps", draft: { rating: 2 } }, { contrast: "more" }],
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

/** With text of 200 per cent. */
const largePictures: typeof pictures = [
  ["large-text", { type: "csat", draft: low, ...foot }, { viewport: tall }],
  ["large-text-nps-dark", { type: "nps", draft: { rating: 3 }, ...dark }, { viewport: tall }],
  ["large-text-phone", { type: "ces", draft: { rating: 6 } }, phone],
];

describe("the widget looks as in the picture that is kept", () => {
  const all = [
    ...pictures.map((picture) => [picture[0], open, picture] as const),
    ...largePictures.map((picture) => [picture[0], openLarge, picture] as const),
  ];
  it.each(all)("%s", async (name, open, [, state, context = {}]) => {
    const { page, close } = await open(state, { viewport: window, ...context });
    await page.evaluate(() => document.fonts.ready);
    await page.waitForFunction(() => !document.querySelector("afterword-view section [part=send]:active"));
    const seen = await page.screenshot({ animations: "disabled", caret: "hide" });
    await close();
    expect(differenceToKept(name, seen)).toBeLessThan(tolerance);
  });
});
