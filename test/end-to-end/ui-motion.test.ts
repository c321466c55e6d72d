import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type State, useGallery } from "./gallery-browser.ts";

const open = useGallery();
const lively = { reducedMotion: "no-preference" } as const;
const draft = { rating: 2, text: "Half a thought" };

/** What plays in the page now: its length in milliseconds and what it changes. */
const playing = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("afterword-view, afterword-thumbs")]
      .flatMap((host) => host.shadowRoot!.getAnimations())
      .filter((animation) => !(animation as CSSTransition).transitionProperty?.includes("background"))
      .map((animation) => {
        const effect = animation.effect as KeyframeEffect;
        const names = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
        const changes = names.filter((name) => !/^(computedO|o)ffset$|^easing$|^composite$/.test(name));
        return { length: Number(effect.getTiming().duration), changes };
      }),
  );

/** Presses a button of the widget and holds what it sets off at its first frame, in one step: none of it can end before. */
const press = async (page: Page, selector: string) => {
  await page.evaluate(async (selector) => {
    for (const { localName, shadowRoot } of document.querySelectorAll("afterword-view, afterword-thumbs")) {
      shadowRoot!.querySelector<HTMLElement>(selector)!.click();
      // The first press on a thumb loads what it opens.
      const thanks = selector === "[part=send]" && "[role=status] span";
      const opened = localName === "afterword-thumbs" ? "[role=group]" : thanks || "section";
      while (!shadowRoot!.querySelector(opened)) await new Promise(requestAnimationFrame);
      const begun = () =>
        shadowRoot!.getAnimations().filter(({ effect }) => effect!.getTiming().duration === 180);
      // What a press sets off begins within some frames.
      for (let frame = 0; frame < 4; frame++) {
        for (const animation of begun()) {
          animation.pause();
          animation.currentTime = 0;
        }
        await new Promise(requestAnimationFrame);
      }
    }
  }, selector);
  return playing(page);
};

const steps: [what: string, state: State, selector: string][] = [
  ["a follow-up that opens", {}, "input[value='2']"],
  ["a warning", { draft }, "[part=close]"],
  ["a card that shrinks to thanks", { draft: { rating: 4 } }, "[part=send]"],
  ["a card that closes", {}, "[part=close]"],
  ["a banner that opens", { place: "banner" }, "input[value='2']"],
  ["an inline survey that opens", { place: "inline" }, "input[value='2']"],
  ["the line beside a bad answer", { thumbs: "open" }, "[part=down]"],
];

describe("motion", () => {
  it.each(steps)("is a change of height and opacity in 180 ms: %s", async (_, state, selector) => {
    const { page, close } = await open(state, lively);
    await expect.poll(() => playing(page)).toEqual([]);
    const all = (await press(page, selector)).filter(({ length }) => length < 1000);
    expect(new Set(all.map(({ length }) => length))).toEqual(new Set([180]));
    const changes = all.flatMap(({ changes }) => changes);
    expect(changes).toEqual(expect.arrayContaining(["height", "opacity"]));
    await close();
  });

  it.each(steps)("does not play for a person who prefers less: %s", async (_, state, selector) => {
    const { page, close } = await open(state, { reducedMotion: "reduce" });
    expect(await playing(page)).toEqual([]);
    expect(await press(page, selector)).toEqual([]);
    await close();
  });

  it("a card that opens fades in, and can be used meanwhile", async () => {
    const { page, radio } = await open({ later: true }, lively);
    await page.evaluate(() => void window.show("?type=csat"));
    expect((await playing(page)).flatMap(({ changes }) => changes)).toContain("opacity");
    await radio(2).click();
    expect(await radio(2).isChecked()).toBe(true);
  });

  it("a card that closes is out of the way at once", async () => {
    const { page, card, reports } = await open({}, lively);
    const isInert = await page.evaluate(() => {
      const view = document.querySelector<HTMLElement>("afterword-view")!;
      view.shadowRoot!.querySelector<HTMLElement>("[part=close]")!.click();
      return view.inert;
    });
    expect([isInert, ...(await reports()).slice(-2)]).toEqual([true, ["dismiss"], ["closed"]]);
    await card.waitFor({ state: "detached" });
  });

  it.each(["corner", "corner top-left", "inline"])(
    "the close button stays under the pointer while a warning opens: %s",
    async (place) => {
      const { page, card, close } = await open({ place, draft }, lively);
      await expect.poll(() => playing(page)).toEqual([]);
      const button = card.locator("[part=close]");
      const { x, y } = (await button.boundingBox())!;
      await press(page, "[part=close]");
      expect((await button.boundingBox())!.y).toBeCloseTo(y, 0);
      await page.mouse.click(x + 9, y + 9);
      await card.waitFor({ state: "detached" });
      await close();
    },
  );
});

describe("thanks", () => {
  it.each(["corner", "corner top-left", "banner", "inline"])(
    "begin where Send was, and the card's edge takes them along: %s",
    async (place) => {
      const { page, card, button, close } = await open({ place, draft: { rating: 2 } }, lively);
      await expect.poll(() => playing(page)).toEqual([]);
      const send = (await button("Send").boundingBox())!;
      await press(page, "[part=send]");
      const words = (await card.getByRole("status").boundingBox())!;
      expect(Math.abs(words.y + words.height / 2 - send.y - send.height / 2)).toBeLessThan(20);
      await close();
    },
  );

  it("are in sight in a page that has scrolled to Send", async () => {
    const phone = { viewport: { width: 360, height: 300 }, hasTouch: true, isMobile: true };
    const { page, card, button, radio } = await open({ place: "inline" }, phone);
    await page.evaluate(() => (document.querySelector("main")!.style.paddingBottom = "2000px"));
    await radio(2).tap();
    await button("Send").evaluate((send) => send.scrollIntoView({ block: "start" }));
    expect((await card.boundingBox())!.y).toBeLessThan(-100);
    await button("Send").tap();
    const thanks = (await card.getByText("Thank you").boundingBox())!;
    expect(thanks.y).toBeGreaterThanOrEqual(0);
    expect(thanks.y + thanks.height).toBeLessThanOrEqual(300);
  });
});
