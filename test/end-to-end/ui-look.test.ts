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

describe("the row of Send", () => {
  it("has a button that says what it skips, and sends the rating alone", async () => {
    const { button, card, reports } = await open({ draft: { rating: 2, text: "never mind" } });
    await button("Skip this question").click();
    await card.getByText("Thank you").waitFor();
    expect((await reports()).at(-1)).toEqual(["submit", { rating: 2 }]);
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

  it("keeps the labels below the tiles beside a question of four lines, and one line beside the tiles", async () => {
    const question = async (question: string) => {
      const { card, close } = await open({ type: "nps", place: "banner", definition: { question } });
      const parts = ["legend", "[part=scale]", "[part=labels]"].map((one) => card.locator(one));
      const boxes = await Promise.all(parts.map(async (part) => (await part.boundingBox())!));
      await close();
      return boxes;
    };
    const [long, tiles, labels] = await question(
      "How likely are you to recommend our travel agent? ".repeat(4),
    );
    expect(long!.height).toBeGreaterThan(80);
    expect(labels!.y - tiles!.y - tiles!.height).toBeLessThan(10);
    expect(Math.abs(long!.y - tiles!.y)).toBeLessThan(2);
    const [short, beside] = await question("How was it?");
    expect(Math.abs(short!.y + short!.height / 2 - beside!.y - beside!.height / 2)).toBeLessThan(2);
  });
});
