import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SurveyTexts } from "../core/public/survey.ts";
import { texts as english, thumbs } from "./en.ts";
import { translated } from "./language-of.ts";
import { wordsOf } from "./languages.ts";
import { loadTexts } from "./load-texts.ts";

const names = ["en", ...translated];

/** Every text of one language with its place, for example `csat.3`. */
const flatten = (texts: SurveyTexts) =>
  Object.entries(texts).flatMap(([key, value]: [string, string | readonly string[]]) =>
    typeof value === "string" ? [[key, value]] : value.map((word, index) => [`${key}.${index}`, word]),
  );

describe("the fixed words", () => {
  it("come in at least twelve languages, one of them written from right to left", () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
    expect(names).toContain("ar");
  });

  it("of each language have a file, and of no other", () => {
    const files = readdirSync(`${import.meta.dirname}/translated`);
    expect(translated.map((name) => `${name}.json`)).toEqual(files.toSorted());
  });

  it.each(names)("%s misses no word, has none too many, and each is its own", async (name) => {
    const { texts, language } = await loadTexts(name);
    expect(language).toBe(name);
    const keysOf = (of: SurveyTexts) => flatten(of).map(([key]) => key!);
    expect(keysOf(texts).toSorted()).toEqual(keysOf(english).toSorted());
    for (const [key, word] of flatten(texts)) {
      expect({ [key!]: word }).toEqual({ [key!]: expect.stringMatching(/\S/) });
      expect(word).toBe(word!.trim());
    }
    expect(new Set(texts.csat).size).toBe(5);
    expect(new Set(texts.pmf).size).toBe(3);
  });

  it.each(names)("%s has words for the thumbs, and four reasons of its own", async (name) => {
    const words = (await wordsOf(name))?.thumbs ?? thumbs;
    const all = [words.up, words.down, words.why, ...words.reasons];
    expect(new Set(all).size).toBe(7);
    for (const word of all) expect(word).toMatch(/^\S.*\S$/);
    const same = Object.values(thumbs)
      .flat()
      .filter((word) => all.includes(word));
    expect(same).toHaveLength(name === "en" ? 7 : 0);
  });

  it.each(names.filter((name) => name !== "en"))("%s is translated, not copied", async (name) => {
    const { texts } = await loadTexts(name);
    const same = flatten(texts).filter(([key, word]) =>
      flatten(english).some(([k, w]) => k === key && w === word),
    );
    // Words that languages share, such as Feedback, Neutral, Privacy and the badge, are few.
    expect(same.slice(3)).toEqual([]);
  });

  it("English is there at once, without a promise", () => {
    expect(loadTexts("en-GB")).toEqual({ texts: english, language: "en" });
  });

  it("a region does not matter, nor the case of the letters", async () => {
    expect((await loadTexts("de-CH")).language).toBe("de");
    expect((await loadTexts("AR")).language).toBe("ar");
    expect((await loadTexts("de_DE")).language).toBe("de");
    expect((await loadTexts("zh-TW")).language).toBe("zh");
  });

  it.each(["xx", "", "constructor", "__proto__", "fil-PH"])(
    "a language that is not there is English: %j",
    (tag) => {
      expect(loadTexts(tag)).toEqual({ texts: english, language: "en" });
    },
  );
});
