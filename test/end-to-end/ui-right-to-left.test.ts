import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const rightToLeft = { options: { direction: "rtl" } };

/** The outer edges of the words in an element, not those of its box. */
const edgesOf = (element: Locator) =>
  element.evaluate((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const { left, right } = range.getBoundingClientRect();
    return { left: Math.round(left), right: Math.round(right) };
  });

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

describe("one side of the card", () => {
  const question = "ما مدى رضاك؟";
  const foreign = { question: "How was it?", followUpQuestion: "Why?" };

  it.each([
    ["an Arabic survey", { language: "ar" }, "right"],
    ["an English question in an Arabic widget", { language: "ar", definition: foreign }, "right"],
    [
      "an Arabic question in an English widget",
      { definition: { question, followUpQuestion: question } },
      "left",
    ],
    ["an English survey from right to left", rightToLeft, "right"],
  ] as const)("has the question, the labels and the words that follow: %s", async (_, state, side) => {
    const { card, close } = await open({ ...state, draft: { rating: 2 } });
    const edge = async (selector: string) => (await edgesOf(card.locator(selector).first()))[side];
    const expected = await edge(".ends");
    expect(await edge("legend")).toBe(expected);
    expect(await edge(".text [part=question]")).toBe(expected);
    const field = card.getByRole("textbox");
    const direction = () => field.evaluate((one) => getComputedStyle(one).direction);
    expect(await direction()).toBe(side === "right" ? "rtl" : "ltr");
    // What is typed decides for itself.
    await field.fill(side === "right" ? "slow" : "بطيء");
    expect(await direction()).toBe(side === "right" ? "ltr" : "rtl");
    await close();
  });
});
