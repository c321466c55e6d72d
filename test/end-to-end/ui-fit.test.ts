import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { adoptStyle, useGallery } from "./gallery-browser.ts";

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

/** With the size of text that the person has set in the browser, in per cent of what is usual. */
const windows = [
  [320, 256, 100],
  [375, 667, 100],
  [320, 568, 200],
  [1280, 720, 400],
  [640, 360, 100],
  [375, 667, 150],
  [640, 720, 300],
] as const;
const some = isFullProof ? windows : windows.slice(0, 4);
describe.each(some)("in a window of %i x %i with text of %i per cent", (width, height, percent) => {
  const open = useGallery(`--blink-settings=defaultFontSize=${(16 * percent) / 100}`);

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
      const words = card.locator("legend, label, label > span, .ends span, button");
      const cut = await words.evaluateAll((all) =>
        all.filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1),
      );
      expect(cut).toEqual([]);
      expect(await card.evaluate((element) => getComputedStyle(element).fontSize)).toBe(
        `${0.15 * percent}px`,
      );
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
  const places = ["corner", "inline", "banner", "banner bottom"];
  it.each(isFullProof ? places : places.slice(0, 2))(
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
    const { page, card, radio, button } = await open({ later: true, place: "inline" });
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
    await button("Send").waitFor();
    expect((await page.locator("#slot").boundingBox())!.height).toBeGreaterThan(300);
    expect(await layoutShift()).toBe(0);
  });
});

describe("a form that is higher than the window", () => {
  const text = "words that the person has typed";
  /** What is hit in the middle of an element of the widget. */
  const hitAt = (page: Page, selector: string) =>
    page.evaluate((selector) => {
      const root = document.querySelector("afterword-view")!.shadowRoot!;
      const { x, y, width, height } = root.querySelector(selector)!.getBoundingClientRect();
      return root
        .elementFromPoint(x + width / 2, y + height / 2)
        ?.closest("[part]")
        ?.getAttribute("part");
    }, selector);

  it.each([
    [320, 256],
    [360, 330],
    [640, 300],
  ])("keeps Send in sight while it scrolls, in %i x %i", async (width, height) => {
    const { page, card, close } = await open(
      { type: "nps", draft: { rating: 1, text } },
      { viewport: { width, height } },
    );
    const scrolled = await card.locator("form").evaluate((form) => form.scrollHeight > form.clientHeight);
    expect(scrolled).toBe(true);
    for (const share of [0, 0.5, 1]) {
      await card
        .locator("form")
        .evaluate((form, share) => (form.scrollTop = share * form.scrollHeight), share);
      expect(await hitAt(page, "[part=send]")).toBe("send");
    }
    await close();
  });

  it.each(["en", "ar"])("never shows text under the close button: %s", async (language) => {
    const { page, card } = await open(
      { type: "pmf", language, draft: { rating: 1, text } },
      { viewport: { width: 320, height: 256 } },
    );
    await card.locator("form").evaluate((form) => (form.scrollTop = 70));
    const bar = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const root = document.querySelector("afterword-view")!.shadowRoot!;
      const close = root.querySelector("[part=close]")!.getBoundingClientRect();
      const style = getComputedStyle(root.querySelector("section")!, "::before");
      return { height: parseFloat(style.height), colour: style.backgroundColor, bottom: close.bottom };
    });
    const { y } = (await card.boundingBox())!;
    expect(bar.colour).toBe("rgb(255, 255, 255)");
    expect(y + 1 + bar.height).toBeGreaterThanOrEqual(bar.bottom);
    expect(await hitAt(page, "[part=close]")).toBe("close");
    await card.getByRole("textbox").focus();
    const [field, box] = [await card.getByRole("textbox").boundingBox(), await card.boundingBox()];
    expect(field!.y).toBeGreaterThanOrEqual(box!.y + bar.height);
  });
});

describe("room that the page keeps free", () => {
  const composer = "html { --afterword-inset: 20px 0 88px }";

  it.each([
    ["corner bottom-right", 640 - 88 - 8],
    ["corner top-left", null],
    ["banner bottom", 640 - 88],
    ["banner top", null],
  ])("is not covered: %s", async (place, bottom) => {
    const { page, card, close } = await open(
      { type: "nps", place, draft: { rating: 1, text: "words" } },
      { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true },
    );
    await adoptStyle(page, composer);
    const box = (await card.boundingBox())!;
    expect(Math.ceil(bottom === null ? box.y : box.y + box.height)).toBe(
      bottom ?? (place.startsWith("banner") ? 20 : 28),
    );
    expect(box.y).toBeGreaterThanOrEqual(20);
    expect(box.y + box.height).toBeLessThanOrEqual(640 - 88);
    await close();
  });
});

describe("above a phone's keyboard", () => {
  const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
  /** What a keyboard does to the visual viewport: no browser without a screen has one to show. */
  const setKeyboard = (page: Page, state: { scale?: number; offsetTop?: number; height?: number }) =>
    page.evaluate((state) => {
      if (!("isFake" in visualViewport!)) {
        const fake = Object.assign(new EventTarget(), {
          isFake: true,
          scale: 1,
          offsetTop: 0,
          height: innerHeight,
        });
        Object.defineProperty(window, "visualViewport", { value: fake });
      }
      Object.assign(visualViewport!, state).dispatchEvent(new Event("resize"));
    }, state);

  it.each([
    ["corner", 0],
    ["banner bottom", 0],
    ["corner top-left", 120],
  ])("all of the card is in sight, Send too: %s, scrolled by %i", async (place, offsetTop) => {
    const { page, card, button, close } = await open({ later: true }, phone);
    await setKeyboard(page, {});
    await page.evaluate(
      (place) => void window.show(`?type=nps&place=${place}&draft={"rating":1,"text":"typed"}`),
      place,
    );
    await setKeyboard(page, { offsetTop, height: 300 });
    // With the button comes what keeps the card in sight.
    const [send, box] = [(await button("Send").boundingBox())!, (await card.boundingBox())!];
    expect(box.y).toBeGreaterThanOrEqual(offsetTop);
    expect(Math.round(box.y + box.height)).toBeLessThanOrEqual(offsetTop + 300);
    expect(send.y + send.height).toBeLessThanOrEqual(box.y + box.height);
    await setKeyboard(page, { offsetTop: 0, height: 640 });
    expect((await card.boundingBox())!.height).toBeGreaterThan(300);
    await close();
  });

  it("the card is in sight, too, if the keyboard was there before the survey", async () => {
    const { page, card, button } = await open({ later: true }, phone);
    await setKeyboard(page, { height: 300 });
    await page.evaluate(() => void window.show('?type=nps&draft={"rating":1,"text":"typed"}'));
    await button("Send").waitFor();
    const box = (await card.boundingBox())!;
    expect(Math.round(box.y + box.height)).toBeLessThanOrEqual(300);
  });

  it("does not move when the person zooms in", async () => {
    const { page, card } = await open({ later: true }, phone);
    await setKeyboard(page, {});
    await page.evaluate(() => void window.show("?type=csat"));
    const before = await card.boundingBox();
    await setKeyboard(page, { scale: 2, offsetTop: 200, height: 320 });
    expect(await card.boundingBox()).toEqual(before);
  });
});

describe("what follows Send", () => {
  const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
  const laptop = { viewport: { width: 1280, height: 720 } };

  it.each([
    ["on a phone", phone],
    ["on its side", { ...phone, viewport: { width: 640, height: 360 } }],
    ["on a laptop", laptop],
  ])("is as high as its words, a fifth of the window at most: %s", async (_, context) => {
    for (const [at, result] of ["never", "stored", "queued", "refused"].entries()) {
      const places = ["corner", "banner bottom", "corner top-left", "inline"];
      for (const place of isFullProof ? places : places.slice(at, at + 1)) {
        const draft = { rating: 2, text: "It took three tries." };
        const { page, card, button, close } = await open({ type: "nps", draft, result, place }, context);
        await card.getByRole("status").getByText(/./).waitFor();
        const box = (await card.boundingBox())!;
        expect(box.height).toBeLessThanOrEqual(page.viewportSize()!.height / 5);
        expect(await button("Close").isVisible()).toBe(true);
        await close();
      }
    }
  });

  it("closes after five seconds on a phone, where a touch leaves hover behind", async () => {
    const { page, card, button } = await open({ later: true }, phone);
    await page.clock.install();
    await page.evaluate(() => void window.show('?type=csat&draft={"rating":4}'));
    await button("Send").tap();
    await card.getByText("Thank you").tap();
    expect(await card.evaluate((element) => element.matches(":hover"))).toBe(true);
    await page.clock.runFor(5_000);
    await card.waitFor({ state: "detached" });
  });

  it("closes by itself where it covers the page, and stays where it does not", async () => {
    const { page, card, button } = await open({ later: true, place: "inline" });
    await page.clock.install();
    await page.evaluate(() => void window.show('?place=inline&type=csat&draft={"rating":4}'));
    await button("Send").click();
    await card.getByText("Thank you").waitFor();
    await page.clock.runFor(60_000);
    expect(await card.isVisible()).toBe(true);
  });

  it("in a corner waits for a pointer that moves on it and for the focus that the person moves into it", async () => {
    const { page, card, button } = await open({ later: true });
    await page.clock.install();
    await page.evaluate(() => void window.show('?type=csat&draft={"rating":4}'));
    await button("Send").click();
    await card.getByText("Thank you").hover();
    await page.clock.runFor(20_000);
    expect(await card.isVisible()).toBe(true);
    await page.keyboard.press("Tab");
    await page.mouse.move(5, 5);
    await page.clock.runFor(20_000);
    expect(await card.isVisible()).toBe(true);
    await page.focus("#host-input");
    await page.clock.runFor(5_000);
    await card.waitFor({ state: "detached" });
  });
});
