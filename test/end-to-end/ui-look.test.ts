import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const draft = { rating: 2, text: "" };

const styleOf = (element: Locator, ...names: string[]) =>
  element.evaluate((one, names) => names.map((name) => getComputedStyle(one).getPropertyValue(name)), names);

describe("the field", () => {
  it("is one line without a grip, and grows with the text up to a third of a window", async () => {
    const { card } = await open({ draft });
    const field = card.getByRole("textbox");
    const height = async () => (await field.boundingBox())!.height;
    expect([await height(), ...(await styleOf(field, "resize"))]).toEqual([44, "none"]);
    await field.fill("one\ntwo\nthree");
    const three = await height();
    expect(three).toBeGreaterThan(70);
    await field.fill("line\n".repeat(50));
    expect(await height()).toBeGreaterThan(three);
    expect(await height()).toBeLessThan(240);
  });
});

describe("a banner in a wide window", () => {
  it.each(["banner", "banner bottom"])(
    "stays a bar, and the rating and × stay under the pointer: %s",
    async (place) => {
      const { card, radio, button, close } = await open({ place });
      const places = async () =>
        Promise.all([radio(2), button("Close")].map(async (one) => (await one.boundingBox())!.x));
      expect((await card.boundingBox())!.width).toBe(1280);
      const before = await places();
      await radio(2).click();
      expect((await card.boundingBox())!.width).toBe(1280);
      expect(await places()).toEqual(before);
      // No column is empty: what follows is as wide as question and ratings.
      expect((await card.getByRole("textbox").boundingBox())!.width).toBeGreaterThan(750);
      await button("Send").click();
      await card.getByText("Thank you").waitFor();
      expect((await card.boundingBox())!.width).toBe(1280);
      await close();
    },
  );
});
