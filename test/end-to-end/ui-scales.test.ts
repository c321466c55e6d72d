import { readdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const texts = new URL("../../packages/browser/src/texts/translated/", import.meta.url);
const translations = readdirSync(texts).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
const languages = ["en", ...translations];
const phone = { hasTouch: true, isMobile: true };

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Shows one survey after the other in the page, and tells where its ratings, their words and its end labels are. */
const measure = (page: Page, searches: string[]) =>
  page.evaluate(async (list) => {
    const box = (one: Element | Range): Box => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top, bottom };
    };
    const words = (element: Element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range;
    };
    const found = [];
    for (const search of list) {
      const view = window.show(search);
      let card: Element | null | undefined;
      while (!(card = document.querySelector("afterword-view")?.shadowRoot?.querySelector("section")))
        await new Promise(requestAnimationFrame);
      found.push({
        search,
        language: (card as HTMLElement).lang,
        direction: (card as HTMLElement).dir,
        card: box(card),
        tiles: [...card.querySelectorAll("[type=radio]")].map(box),
        numbers: [...card.querySelectorAll("label > span")].map((one) => box(words(one))),
        lines: [...card.querySelectorAll("label > span")].map((one) => words(one).getClientRects().length),
        labels: [...card.querySelectorAll(".ends > span")].map((one) => box(words(one))),
        prefixes: [...card.querySelectorAll(".ends b")].filter((one) => one.checkVisibility()).length,
      });
      view.close();
    }
    return found;
  }, searches);

type Scale = Awaited<ReturnType<typeof measure>>[number];

/** What is wrong with a scale that is to stand in one line, in words. */
function faults(
  { card, tiles, numbers, lines, labels, direction, prefixes }: Scale,
  least: number,
): string[] {
  const [from, to] = direction === "rtl" ? (["right", "left"] as const) : (["left", "right"] as const);
  const sign = direction === "rtl" ? -1 : 1;
  const [first, last] = [tiles[0]!, tiles.at(-1)!];
  const middle = (first[from] + last[to]) / 2;
  const [low, high] = [labels[0]!, labels[1]!];
  const rules: Record<string, boolean> = {
    "in one line": tiles.every(({ top }) => top === first.top),
    "in the order of reading": tiles.every(
      (tile, at) => at === 0 || sign * (tile[from] - tiles[at - 1]![from]) > 0,
    ),
    "inside the card": tiles.every(({ left, right }) => left >= card.left && right <= card.right),
    "24 px wide": tiles.every(({ left, right }) => right - left >= 24),
    "high enough": tiles.every(({ top, bottom }) => bottom - top >= least),
    "no number in two lines": lines.every((count) => count === 1),
    "no number outside its tile": numbers.every(
      ({ left, right }, at) => left >= tiles[at]!.left && right <= tiles[at]!.right,
    ),
    "low label begins below the first": Math.abs(low[from] - first[from]) < 1.5 && low.top >= first.bottom,
    "high label ends below the last": Math.abs(high[to] - last[to]) < 1.5 && high.top >= last.bottom,
    "labels in their halves": sign * (low[to] - middle) <= 1 && sign * (high[from] - middle) >= -1,
    "without a number before the labels": prefixes === 0,
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

/** The narrowest and the widest, and those in between for the full proof. */
const widths = [
  ["a phone of 320 px", 320, 44, phone],
  ["a window of 1,280 px", 1280, 32, {}],
  ["a phone of 360 px", 360, 44, phone],
  ["a window of 320 px", 320, 32, {}],
  ["a window of 400 px", 400, 32, {}],
] as const;

describe("each scale of numbers or faces stands in one line, its end labels under the ratings that they are about", () => {
  it("in each of seventeen languages", () => expect(languages).toHaveLength(17));

  it.each(isFullProof ? widths : widths.slice(0, 2))("in %s", async (_, width, least, context) => {
    const { page } = await open({ later: true }, { ...context, viewport: { width, height: 640 } });
    const searches = ["nps", "ces", "csat"].flatMap((type) =>
      ["corner", "banner"].flatMap((place) =>
        languages.map((language) => `?type=${type}&place=${place}&language=${language}`),
      ),
    );
    const turned = ["ltr", "rtl"].flatMap((direction) =>
      ["nps", "ces"].map((type) => `?type=${type}&language=en&options={"direction":"${direction}"}`),
    );
    const scales = await measure(page, [...searches, ...turned]);
    expect(new Set(scales.map(({ language }) => language)).size).toBe(17);
    expect(scales.filter(({ direction }) => direction === "rtl")).toHaveLength(14);
    const wrong = scales
      .map((scale) => [scale.search, ...faults(scale, least)])
      .filter(([, ...all]) => all[0]);
    expect(wrong).toEqual([]);
  });
});

it("where ratings do not fit into one line, each end label says its rating", async () => {
  const { page } = await open({ later: true, place: "inline" }, { viewport: { width: 290, height: 640 } });
  for (const [direction, labels] of [
    ["ltr", ["0 – Not at all likely", "10 – Extremely likely"]],
    ["rtl", ["0 – Not at all likely", "10 – Extremely likely"]],
  ] as const) {
    const view = await page.evaluateHandle(
      (dir) => window.show(`?type=nps&place=inline&options={"direction":"${dir}"}`),
      direction,
    );
    const card = page.locator("afterword-view section");
    const rows = await card
      .locator("[type=radio]")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(rows).size).toBe(2);
    expect(await card.locator(".ends > span").allInnerTexts()).toEqual(labels);
    await view.evaluate((shown) => shown.close());
  }
});
