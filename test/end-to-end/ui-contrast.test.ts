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

type Theme = readonly [property: string, value: string];

/** Sets one property of the page after the other, ends what fades over, and tells the contrasts of words and drawings. */
const contrasts = (page: Page, themes: readonly Theme[]) =>
  page.evaluate((themes) => {
    const { style } = document.documentElement;
    const root = document.querySelector("afterword-view")!.shadowRoot!;
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    const known = new Map<string, number>();
    /** Relative luminance of colours laid over each other. */
    const measureLuminance = (layers: string[]) => {
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
    const luminance = (layers: string[]) => {
      const all = layers.join("|");
      const found = known.get(all) ?? measureLuminance(layers);
      known.set(all, found);
      return found;
    };
    const ratio = (one: number, other: number) =>
      (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const grounds = (element: Element | null): string[] => {
      const { backgroundColor } = getComputedStyle(element ?? document.documentElement);
      return element ? [...grounds(element.parentElement), backgroundColor] : [backgroundColor];
    };
    const contrastsNow = () => {
      const found: [what: string, contrast: number][] = [];
      for (const element of root.querySelectorAll("*")) {
        const hasWords = [...element.childNodes].some(
          (node) => node.nodeType === 3 && node.textContent!.trim(),
        );
        const isShown = element.checkVisibility() && !element.closest(".quiet");
        if (!isShown || !(hasWords || element.localName === "svg")) continue;
        const { color, fill } = getComputedStyle(element);
        // The chosen face is filled.
        const isFilled = element.localName === "svg" && fill !== "none";
        const ground = [...grounds(element), ...(isFilled ? [fill] : [])];
        const what = `${element.localName} ${element.textContent!.trim() || element.parentElement!.outerHTML}`;
        found.push([what, ratio(luminance([...ground, color]), luminance(ground))]);
      }
      return found;
    };
    return themes.map(([name, colour]) => {
      style.cssText = "";
      style.setProperty(name, colour);
      for (const animation of root.getAnimations()) animation.finish();
      return contrastsNow();
    });
  }, themes);

/** Words below 4.5:1 under each theme; a theme that shows too few words is an entry of its own. */
async function illegible(page: Page, themes: readonly Theme[], atLeast: number) {
  const found = await contrasts(page, themes);
  return found.flatMap((words, index) => {
    const low = words.filter(([, contrast]) => contrast < 4.5);
    const few = words.length < atLeast ? [`only ${words.length} words`] : [];
    return [...low, ...few].map((fault) => [themes[index]!, fault]);
  });
}

const foot = { definition: { showBadge: true }, options: { privacyLink: "https://example.org/privacy" } };

it("there are thirty themes of one property", () => expect(new Set(themes.map(String)).size).toBe(30));

describe.each(["light", "dark"] as const)("on a %s system every word reaches 4.5:1", (colorScheme) => {
  it("with the defaults", async () => {
    const { page } = await open({ page: colorScheme, draft: { rating: 2 }, ...foot }, { colorScheme });
    expect(await illegible(page, [["--none", "0"]], 11)).toEqual([]);
  });

  it.each(["csat", "nps", "pmf"])("when a theme of one property colours %s", async (type) => {
    const { page } = await open({ page: colorScheme, type, draft: { rating: 2 }, ...foot }, { colorScheme });
    expect(await illegible(page, themes, 10)).toEqual([]);
    await page.locator("afterword-view [part=option]").first().hover();
    expect(await illegible(page, themes, 10)).toEqual([]);
  });

  it("when a theme of one property colours thanks", async () => {
    const { page, card } = await open(
      { page: colorScheme, draft: { rating: 2 }, result: "stored" },
      { colorScheme },
    );
    await card.getByText("Thank you").waitFor();
    expect(await illegible(page, themes, 2)).toEqual([]);
  });
});
