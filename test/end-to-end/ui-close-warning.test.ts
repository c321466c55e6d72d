import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const draft = { rating: 2, text: "It took three tries." };
const phone = { hasTouch: true, isMobile: true };

/** In a window with room to spare, the card may grow; in the others its form scrolls. */
describe.each([
  [1100, 700, {}],
  [560, 460, {}],
  [390, 844, phone],
])("the warning before a text is lost, in a window of %i x %i", (width, height, context) => {
  const places = [
    ["corner", "fr"],
    ["inline", "en"],
    ["corner top-left", "ar"],
    ["banner bottom", "en"],
    ["corner", "en"],
  ] as const;
  it.each(isFullProof ? places : places.slice(0, width === 1100 ? 4 : 2))(
    "is whole and covers nothing, and the next press at the same place closes: %s, %s",
    async (place, language) => {
      for (const type of isFullProof ? ["nps", "csat"] : ["nps"]) {
        const viewport = { width, height };
        const { page, card, reports, close } = await open(
          { type, place, language, draft },
          { viewport, ...context },
        );
        // Inline, a rating lets the card outgrow the room that the page has reserved for it.
        if (place === "inline") await card.locator(`input[value="1"]`).click();
        const before = (await card.boundingBox())!;
        const { x, y } = (await card.locator("[part=close]").boundingBox())!;
        await page.mouse.click(x + 9, y + 9);
        const warning = card.getByRole("status");
        const words = await warning.locator("span").evaluate((span) => {
          const range = document.createRange();
          range.selectNodeContents(span);
          return range.getBoundingClientRect().toJSON() as DOMRect;
        });
        const [box, row] = [(await card.boundingBox())!, (await warning.boundingBox())!];
        const question = (await card.locator("legend").boundingBox())!;
        expect(words.top - box.y).toBeGreaterThan(8);
        expect(words.bottom).toBeLessThan(row.y + row.height - 8);
        expect(question.y).toBeGreaterThanOrEqual(row.y + row.height);
        expect(box.height).toBeGreaterThan(before.height);
        expect(box.y).toBeGreaterThanOrEqual(0);
        await page.mouse.click(x + 9, y + 9);
        await card.waitFor({ state: "detached" });
        expect((await reports()).slice(-2)).toEqual([["dismiss"], ["closed"]]);
        await close();
      }
    },
  );
});

it("after the warning, a person who goes on has the card as it was", async () => {
  const { card, button } = await open({ type: "nps", draft });
  const places = async () => [await card.boundingBox(), await button("Close").boundingBox()];
  const before = await places();
  await button("Close").click();
  await card.getByText("Press again").waitFor();
  await card.getByRole("textbox").press("!");
  expect(await places()).toEqual(before);
});
