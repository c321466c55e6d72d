import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const rightToLeft = { options: { direction: "rtl" } };

describe("the corner", () => {
  it.each([
    ["English", { language: "en" }, "right"],
    ["Arabic", { language: "ar" }, "left"],
    ["English on a page that runs from right to left", rightToLeft, "left"],
    ["Arabic, with a corner of its own", { language: "ar", place: "corner bottom-right" }, "right"],
    ["English, with a corner of its own", { language: "en", place: "corner bottom-left" }, "left"],
  ])("follows the direction of the text unless the survey names one: %s", async (_, state, side) => {
    const { card, close } = await open(state);
    const { x, y, width, height } = (await card.boundingBox())!;
    expect(side === "left" ? x : 1280 - x - width).toBe(24);
    expect(Math.round(720 - y - height)).toBe(24);
    await close();
  });
});
