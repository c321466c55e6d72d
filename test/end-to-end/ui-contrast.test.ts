import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();

// From one end of luminance to the other, and many around 0.18, where neither black nor white has much room.
const colours =
  "#ffffff #000000 #ffd400 #00e5ff #7f7f7f #757575 #ff0000 #00ff00 #0000ff #e11d48 #0a7d55".split(" ");
const themes = [
  ...[...colours, "oklch(0.6 0.15 250)"].map((colour) => ["accent", colour]),
  ...[...colours, "transparent"].map((colour) => ["background", colour]),
  ...["#000000", "#333333", "#0a3d91", "#ffffff", "#eeeeee", "#ffd400"].map((colour) => ["text", colour]),
].map(([name, colour]) => [`--afterword-${name}`, colour!] as const);

/** Sets one property of the page, ends what fades over, and tells the contrast of each word and drawing. */
const contrasts = (page: Page, property: string, value: string) =>
  page.evaluate(
    async ([name, colour]) => {
      const { style } = document.documentElement;
      style.cssText = "";
      style.setProperty(name, colour);
      const root = document.querySelector("afterword-view")!.shadowRoot!;
      for (const animation of root.getAnimations()) animation.finish();

      const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
      /** Relative luminance of colours laid over each other. */
      const luminance = (layers: string[]) => {
        context.clearRect(0, 0, 1, 1);
        for (const layer of layers) {
          context.fillStyle = layer;
          context.fillRect(0, 0, 1, 1);
        }
        const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((byte) =>
          byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
      };
      const ratio = (one: number, other: number) =>
        (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      const page = getComputedStyle(document.documentElement).backgroundColor;
      const grounds = (element: Element | null): string[] =>
        element ? [...grounds(element.parentElement), getComputedStyle(element).backgroundColor] : [page];

      const found: [what: string, contrast: number][] = [];
      for (const element of root.querySelectorAll("*")) {
        const hasWords = [...element.childNodes].some(
          (node) => node.nodeType === 3 && node.textContent!.trim(),
        );
        const isShown = element.checkVisibility() && !element.closest(".quiet");
        if (!isShown || !(hasWords || element.localName === "svg")) continue;
        const ground = grounds(element);
        const { color } = getComputedStyle(element);
        const what = `${element.localName} ${element.textContent!.trim() || element.parentElement!.outerHTML}`;
        found.push([what, ratio(luminance([...ground, color]), luminance(ground))]);
      }
      return found;
    },
    [property, value] as const,
  );

const foot = { definition: { showBadge: true }, options: { privacyLink: "https://example.org/privacy" } };

it("there are thirty themes of one property", () => expect(new Set(themes.map(String)).size).toBe(30));

describe.each(["light", "dark"] as const)("on a %s system every word reaches 4.5:1", (colorScheme) => {
  it("with the defaults", async () => {
    const { page } = await open({ page: colorScheme, draft: { rating: 2 }, ...foot }, { colorScheme });
    const found = await contrasts(page, "--none", "0");
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(([, contrast]) => contrast < 4.5)).toEqual([]);
  });

  it.each(["csat", "nps", "pmf"])("when a theme of one property colours %s", async (type) => {
    const { page } = await open({ page: colorScheme, type, draft: { rating: 2 }, ...foot }, { colorScheme });
    const hovered = page.locator("afterword-view [part=option]").first();
    for (const theme of themes) {
      for (const isHovered of [false, true]) {
        await (isHovered ? hovered.hover() : page.mouse.move(0, 0));
        const found = await contrasts(page, ...theme);
        expect(found.length).toBeGreaterThan(9);
        expect(
          found.filter(([, contrast]) => contrast < 4.5),
          `${theme}`,
        ).toEqual([]);
      }
    }
  });

  it("when a theme of one property colours thanks", async () => {
    const { page, card } = await open(
      { page: colorScheme, draft: { rating: 2 }, result: "stored" },
      { colorScheme },
    );
    await card.getByText("Thank you").waitFor();
    for (const theme of themes) {
      const found = await contrasts(page, ...theme);
      expect(found.length).toBeGreaterThan(1);
      expect(
        found.filter(([, contrast]) => contrast < 4.5),
        `${theme}`,
      ).toEqual([]);
    }
  });
});
