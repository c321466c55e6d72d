import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { useGallery } from "./gallery-browser.ts";

const shapes = [
  ["corner", 1280, 720],
  ["corner top-left", 1280, 720],
  ["banner", 1280, 720],
  ["corner", 640, 720],
  ["corner", 375, 667],
  ["banner bottom", 320, 568],
  ["corner", 320, 568],
] as const;

/** Runs in the page: how large the card's text is, and what of it is cut off or broken. */
function measureText(card: Element) {
  const htmlOf = (all: Element[]) => all.map((one) => one.outerHTML);
  const words = card.querySelectorAll("legend, label, label > span, .ends span, button");
  const ratings = card.querySelectorAll("[part~=option] > span");
  const lines = (one: Element) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getClientRects().length;
  };
  const form = card.querySelector("form")!;
  return {
    fontSize: getComputedStyle(card).fontSize,
    overflow: form.scrollWidth - form.clientWidth,
    cut: htmlOf([...words].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)),
    broken: htmlOf([...ratings].filter((one) => /^\d+$/.test(one.textContent!) && lines(one) > 1)),
  };
}

/** People who have set the size of text in the browser, in per cent of what is usual. */
describe.each(isFullProof ? [150, 200, 300, 400] : [200])("with text of %i per cent", (percent) => {
  const open = useGallery(`--blink-settings=defaultFontSize=${(16 * percent) / 100}`);

  it.each(["nps", "csat", "ces", "pmf"])(
    "%s: the card grows with it and stays in the window, and no word is cut or laid over another",
    async (type) => {
      for (const [place, width, height] of shapes) {
        const state = { type, place, draft: { rating: 1, text: "ten" } };
        const { card, button, close } = await open(state, { viewport: { width, height } });
        const at = `${place} in ${width} px`;
        const { fontSize, overflow, cut, broken } = await card.evaluate(measureText);
        expect(fontSize).toBe(`${(15 * percent) / 100}px`);
        const box = (await card.boundingBox())!;
        expect(box.x, at).toBeGreaterThanOrEqual(0);
        expect(box.y, at).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width, at).toBeLessThanOrEqual(width);
        expect(box.y + box.height, at).toBeLessThanOrEqual(height);
        expect(cut, at).toEqual([]);
        expect(broken, at).toEqual([]);
        expect(overflow).toBe(0);
        await button("Send").click();
        await close();
      }
    },
  );

  it("the whole final message is readable", async () => {
    const state = { draft: { rating: 1 }, result: "queued" };
    const { card, close } = await open(state, { viewport: { width: 320, height: 256 } });
    const status = card.getByRole("status");
    await status.getByText("Your answer").waitFor();
    await card.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const end = await status.locator("span").evaluate((words) => {
      const range = document.createRange();
      range.setStart(words.firstChild!, words.textContent!.length - 1);
      range.setEnd(words.firstChild!, words.textContent!.length);
      const { right, bottom } = range.getBoundingClientRect();
      return [right, bottom] as const;
    });
    const box = (await card.boundingBox())!;
    expect(end[0]).toBeLessThanOrEqual(box.x + box.width);
    expect(end[1]).toBeLessThanOrEqual(box.y + box.height);
    await close();
  });
});
