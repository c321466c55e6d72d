import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { adoptStyle, useGallery } from "./gallery-browser.ts";

const open = useGallery();
const readme = readFileSync(new URL("../../docs/browser/theming.md", import.meta.url), "utf8");

/** All computed style of the widget and inside it, element by element. */
const looks = (page: Page) =>
  page.evaluate(() => {
    const view = document.querySelector("afterword-view")!;
    return [view, ...view.shadowRoot!.querySelectorAll("*")].map((element) => {
      const style = getComputedStyle(element);
      return ["color", "background-color", "border-radius", "font-family", "margin"]
        .map((name) => style.getPropertyValue(name))
        .join();
    });
  });

const background = (page: Page) =>
  page.locator("afterword-view section").evaluate((card) => getComputedStyle(card).backgroundColor);
const [white, black] = ["rgb(255, 255, 255)", "rgb(29, 32, 38)"];

const declareDark = `document.head.append(Object.assign(document.createElement("meta"), { name: "color-scheme", content: "dark" }))`;

describe("the theme", () => {
  it.each([
    ["auto", "light", white],
    ["auto", "dark", black],
    ["light", "dark", white],
    ["dark", "light", black],
  ] as const)("%s on a %s system", async (theme, colorScheme, expected) => {
    const { page, close } = await open({ theme }, { colorScheme });
    expect(await background(page)).toBe(expected);
    await close();
  });

  it("auto follows a system whose theme changes", async () => {
    const { page } = await open({}, { colorScheme: "light" });
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background(page)).toBe(black);
  });

  it.each([
    ["html { color-scheme: light }", "dark", white],
    ["html { color-scheme: only light }", "dark", white],
    ["html { color-scheme: dark }", "light", black],
    ["html { color-scheme: light dark }", "dark", black],
    ["html { color-scheme: light dark }", "light", white],
    ["body { color-scheme: dark }", "light", white],
    ['<meta name="color-scheme" content="dark">', "light", black],
  ] as const)("auto follows a page that declares %s on a %s system", async (css, colorScheme, expected) => {
    for (const place of ["corner", "inline"]) {
      const { page, card, close } = await open({ later: true, place }, { colorScheme });
      if (!css.startsWith("<")) await adoptStyle(page, css);
      else await page.evaluate(declareDark);
      await page.evaluate((search) => void window.show(search), `?place=${place}`);
      await card.waitFor();
      // What surrounds an inline survey is nearer than the page.
      const isInside = place === "inline" && css.startsWith("body");
      expect(await background(page), place).toBe(isInside ? black : expected);
      await close();
    }
  });

  it.each(["light", "dark"] as const)("%s wins over what the page declares", async (theme) => {
    const { page } = await open({ theme, page: theme === "light" ? "dark" : "light" });
    expect(await background(page)).toBe(theme === "light" ? white : black);
  });
});

describe("what the page on theming promises to those who change the look", () => {
  const properties = [...readme.matchAll(/^\| `(--afterword-[a-z-]+)`/gm)].map(([, name]) => name!);
  const parts = /reaches further: (.+?)\.\n/s.exec(readme)![1]!.match(/[a-z]+(?=`)/g)!;

  it("names eight properties and twelve parts", () => {
    expect([properties.length, parts.length]).toEqual([8, 12]);
  });

  it.each(properties)("%s changes the look", async (property) => {
    const { page, close } = await open({ draft: { rating: 2, text: "x" } });
    const before = await looks(page);
    const values = {
      "--afterword-radius": "3px",
      "--afterword-font": "monospace",
      "--afterword-inset": "7px",
    };
    const value = new Map(Object.entries(values)).get(property) ?? "rgb(1, 2, 3)";
    await adoptStyle(page, `html { ${property}: ${value} }`);
    // Colours fade over for a moment.
    await page.waitForFunction(() => {
      const animations = document.querySelector("afterword-view")!.shadowRoot!.getAnimations();
      return animations.length === 0;
    });
    const changed = (await looks(page)).filter((look, index) => look !== before[index]);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.some((look) => look.includes(value))).toBe(true);
    await close();
  });

  it("::part of each of them reaches something, and nothing else", async () => {
    const definition = { showBadge: true, suggestions: { low: ["Slow"] } };
    const { page, card } = await open({ draft: { rating: 2 }, definition });
    for (const part of parts) {
      await page.evaluate(() => (document.adoptedStyleSheets = []));
      await adoptStyle(page, `afterword-view::part(${part}) { outline: 7px solid red }`);
      const reached = await card.evaluateAll(
        (cards, name) =>
          [...cards, ...cards.flatMap((one) => [...one.querySelectorAll("*")])]
            .filter((element) => getComputedStyle(element).outlineWidth === "7px")
            .map((element) => element.part.contains(name)),
        part,
      );
      expect(new Set(reached), part).toEqual(new Set([true]));
    }
  });

  it("::part(option) is the whole tile and ::part(chosen) the one that is chosen, also after another choice", async () => {
    const { page, card, radio } = await open({ type: "nps", draft: { rating: 3 } });
    await adoptStyle(
      page,
      `afterword-view::part(option) { background: rgb(1, 2, 3); border: 3px solid rgb(4, 5, 6); color: rgb(7, 8, 9) }
       afterword-view::part(chosen) { background: rgb(10, 11, 12) }`,
    );
    const tiles = () =>
      card.locator("[type=radio]").evaluateAll((radios) =>
        radios.map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          const tile = one.closest("label")!;
          const outer = tile.getBoundingClientRect();
          const { backgroundColor, borderTopWidth } = getComputedStyle(tile);
          const { color } = getComputedStyle(tile.querySelector("span")!);
          const isCovered = x <= outer.x + 2 && y <= outer.y + 2 && width > outer.width - 5 && height > 24;
          return [backgroundColor, borderTopWidth, color, isCovered].join();
        }),
      );
    const plain = "rgb(1, 2, 3),3px,rgb(7, 8, 9),true";
    const chosen = "rgb(10, 11, 12),3px,rgb(7, 8, 9),true";
    const expected = (rating: number) =>
      Array.from({ length: 11 }, (_, at) => (at === rating ? chosen : plain));
    expect(await tiles()).toEqual(expected(3));
    await radio(8).click();
    expect(await tiles()).toEqual(expected(8));
  });
});
