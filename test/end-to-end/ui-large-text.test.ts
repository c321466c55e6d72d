import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

/** A person who has set twice the usual size of text in the browser. */
const open = useGallery("--blink-settings=defaultFontSize=32");

describe("with text of twice the size", () => {
  it.each(["nps", "csat", "ces", "pmf"])(
    "%s: the card grows with it, and no word is cut or laid over another",
    async (type) => {
      for (const [place, width] of [
        ["corner", 1280],
        ["banner", 1280],
        ["corner", 640],
        ["corner", 375],
      ] as const) {
        const state = { type, place, draft: { rating: 1, text: "ten" } };
        const { card, button, close } = await open(state, { viewport: { width, height: 720 } });
        expect(await card.evaluate((element) => getComputedStyle(element).fontSize)).toBe("30px");
        const cut = await card
          .locator("legend, [part=option], .ends span, button")
          .evaluateAll((all) =>
            all
              .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
              .map((one) => one.outerHTML),
          );
        expect(cut).toEqual([]);
        const cells = await card
          .locator("[part=scale] label")
          .evaluateAll((all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML),
          );
        expect(cells).toEqual([]);
        expect(await card.locator("form").evaluate((form) => form.scrollWidth - form.clientWidth)).toBe(0);
        await button("Send").click();
        await close();
      }
    },
  );
});
