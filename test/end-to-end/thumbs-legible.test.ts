import { expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();

it.each(["light", "dark"])("the placeholder of the field has a contrast of 4.5:1: %s", async (scheme) => {
  const { page } = await open({ thumbs: "down", page: scheme });
  const contrast = await page.locator("afterword-thumbs [part=text]").evaluate((input) => {
    const channels = (color: string) => {
      const context = document.createElement("canvas").getContext("2d")!;
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const { color, opacity } = getComputedStyle(input, "::placeholder");
    const below = channels(getComputedStyle(document.documentElement).backgroundColor);
    const text = channels(color);
    const share = (Number(opacity) * text[3]!) / 255;
    const light = (rgb: number[]) =>
      rgb
        .slice(0, 3)
        .map((value) => (value <= 10.3 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at]!, 0.05);
    const both = [light(below), light(text.map((value, at) => value * share + below[at]! * (1 - share)))];
    return Math.max(...both) / Math.min(...both);
  });
  expect(contrast).toBeGreaterThanOrEqual(4.5);
});
