import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();

/** Begins to add up what the browser counts as layout shift, once the page itself has come to rest. */
async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    document.body.dataset.shift = "0";
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // What follows a press within half a second is expected, and not counted anywhere.
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        };
        if (!hadRecentInput) document.body.dataset.shift = `${Number(document.body.dataset.shift) + value}`;
      }
    }).observe({ type: "layout-shift" });
  });
  return () =>
    page.evaluate(async () => {
      // Entries are told after the frame that they are about.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
      return Number(document.body.dataset.shift);
    });
}

describe.each([
  [320, 256],
  [640, 360],
  [375, 667],
])("in a window of %i x %i", (width, height) => {
  it.each(["nps", "csat", "ces", "pmf"])("%s fits, and all of it can be reached", async (type) => {
    for (const place of ["corner top-right", "banner bottom"]) {
      const draft = { rating: 1, text: "a text" };
      const { card, button, reports, close } = await open(
        { type, place, draft },
        { viewport: { width, height } },
      );
      const box = (await card.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      const overflow = await card.locator("form").evaluate((form) => form.scrollWidth - form.clientWidth);
      expect(overflow).toBe(0);
      expect(await button("Close").isVisible()).toBe(true);
      await button("Send").click();
      expect((await reports()).at(-1)).toEqual(["submit", { rating: 1, text: "a text" }]);
      await close();
    }
  });

  it("a question and end labels as long as they may be fit too", async () => {
    const long = "unbreakable".repeat(9);
    const definition = { question: "Why? ".repeat(200), endLabels: { low: long, high: long } };
    const { card, radio, button } = await open({ type: "csat", definition }, { viewport: { width, height } });
    expect(await card.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await radio(5).click();
    await button("Send").click();
  });
});

describe("layout shift", () => {
  it.each(["corner", "banner", "banner bottom", "inline"])(
    "%s: none, from before it is shown to thanks that come late",
    async (place) => {
      const { page, card, radio, button } = await open({ later: true, place, waitMs: 800 });
      const layoutShift = await watchLayoutShift(page);
      await page.evaluate(() => void window.show());
      await card.waitFor();
      expect(await layoutShift()).toBe(0);
      await radio(4).click();
      await button("Send").click();
      await card.getByText("Thank you").waitFor();
      expect(await layoutShift()).toBe(0);
    },
  );

  it("an inline survey keeps to the room that was reserved, scrolls in it, and grows once a rating is chosen", async () => {
    const { page, card, radio } = await open({ later: true, place: "inline" });
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("#slot.reserved { min-height: 120px }");
      document.adoptedStyleSheets.push(sheet);
    });
    const layoutShift = await watchLayoutShift(page);
    await page.evaluate(() => void window.show("?place=inline&type=pmf"));
    expect((await page.locator("#slot").boundingBox())!.height).toBe(120);
    expect((await card.boundingBox())!.height).toBe(120);
    await radio(0).click();
    expect((await page.locator("#slot").boundingBox())!.height).toBeGreaterThan(300);
    expect(await layoutShift()).toBe(0);
  });

  it("a slot without any room grows: the page has asked for it", async () => {
    const { page, card } = await open({ later: true });
    await page.evaluate(() => void window.show("?place=inline&type=csat"));
    expect((await card.boundingBox())!.height).toBeGreaterThan(130);
  });
});

describe("the last word", () => {
  it("goes by itself where it covers the page, and stays where it does not", async () => {
    const { page, card } = await open({ later: true, place: "inline" });
    await page.clock.install();
    await page.evaluate(() => {
      window.show('?place=inline&type=csat&draft={"rating":4}');
      document
        .querySelector("afterword-view")!
        .shadowRoot!.querySelector<HTMLElement>("[part=send]")!
        .click();
    });
    await card.getByText("Thank you").waitFor();
    await page.clock.runFor(60_000);
    expect(await card.isVisible()).toBe(true);
  });

  it("in a corner waits for a pointer on it and for the focus in it", async () => {
    const { page, card, button } = await open({ later: true });
    await page.clock.install();
    await page.evaluate(() => void window.show('?type=csat&draft={"rating":4}'));
    await button("Send").click();
    await card.getByText("Thank you").waitFor();
    await page.clock.runFor(20_000);
    expect(await card.isVisible()).toBe(true);
    await page.mouse.move(5, 5);
    await page.focus("#host-input");
    await page.clock.runFor(5_000);
    await card.waitFor({ state: "detached" });
  });
});
