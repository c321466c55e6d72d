import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { adoptStyle, useGallery } from "./gallery-browser.ts";

const open = useGallery();
const readme = readFileSync(new URL("../../packages/browser/gallery/README.md", import.meta.url), "utf8");

/** All computed style inside the widget, element by element. */
const looks = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelector("afterword-view")!.shadowRoot!.querySelectorAll("*")].map((element) => {
      const style = getComputedStyle(element);
      return ["color", "background-color", "border-radius", "font-family"]
        .map((name) => style.getPropertyValue(name))
        .join();
    }),
  );

const background = (page: Page) =>
  page.locator("afterword-view section").evaluate((card) => getComputedStyle(card).backgroundColor);
const [white, black] = ["rgb(255, 255, 255)", "rgb(29, 32, 38)"];

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

  it("auto follows a system that changes its mind", async () => {
    const { page } = await open({}, { colorScheme: "light" });
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background(page)).toBe(black);
  });
});

describe("what the gallery's README promises to those who change the look", () => {
  const properties = [...readme.matchAll(/^\| `(--afterword-[a-z-]+)`/gm)].map(([, name]) => name!);
  const parts = /reaches further: (.+?)\.\n/s.exec(readme)![1]!.match(/[a-z]+(?=`)/g)!;

  it("names seven properties and ten parts", () => {
    expect([properties.length, parts.length]).toEqual([7, 10]);
  });

  it.each(properties)("%s changes the look", async (property) => {
    const { page, close } = await open({ draft: { rating: 2, text: "x" } });
    const before = await looks(page);
    const value =
      { "--afterword-radius": "3px", "--afterword-font": "monospace" }[property] ?? "rgb(1, 2, 3)";
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

  it.each(parts)("::part(%s) reaches something", async (part) => {
    const { page, card, close } = await open({ draft: { rating: 2 }, definition: { showBadge: true } });
    await adoptStyle(page, `afterword-view::part(${part}) { outline: 7px solid red }`);
    const reached = await card.evaluateAll((cards) =>
      [...cards, ...cards.flatMap((one) => [...one.querySelectorAll("*")])]
        .filter((element) => getComputedStyle(element).outlineWidth === "7px")
        .map((element) => element.getAttribute("part")),
    );
    expect(new Set(reached)).toEqual(new Set([part]));
    await close();
  });
});

describe("motion", () => {
  it("is there for those who like it, and gone for those who asked for less", async () => {
    const animations = (page: Page) =>
      page.evaluate(() => document.querySelector("afterword-view")!.shadowRoot!.getAnimations().length);
    const lively = await open({ later: true }, { reducedMotion: "no-preference" });
    await lively.page.evaluate(() => void window.show());
    expect(await animations(lively.page)).toBe(1);
    const calm = await open({ later: true }, { reducedMotion: "reduce" });
    await calm.page.evaluate(() => void window.show());
    expect(await animations(calm.page)).toBe(0);
  });
});
