import { describe, expect, it } from "vitest";
import { askTextsFor } from "./ask-frame.tsx";

const languages = "ar de en es fr he hi it ja ko nl pl pt sv tr uk zh".split(" ");

describe("the words of the page for links", () => {
  it.each(languages)("are all there, and quote the name that the link gives: %s", (language) => {
    const [texts, found] = askTextsFor(`${language}-XX`);
    expect(found).toBe(language);
    expect(texts.sender).toMatch(/[“„«「”"] ?\{name\} ?[”“»」"]/);
    const [english] = askTextsFor("en");
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    expect(Object.values(texts).every((text) => text.trim())).toBe(true);
  });

  it("are English where a language has none", () => {
    expect(askTextsFor("xx")).toEqual(askTextsFor("en"));
    expect(askTextsFor("constructor")).toEqual(askTextsFor("en"));
  });
});
