import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

const document = readFileSync(new URL("../../.github/DECISIONS.md", import.meta.url), "utf8");

/** A number, the section or date, and the words of the decision. */
const rows = [...document.matchAll(/^\| ([DO]\d+) \|([^|]*)\|(.*)\|$/gm)].map(
  ([, number, , words]) => [number!, words!] as const,
);

describe("the decisions", () => {
  it("have a number each", () => {
    const numbers = rows.map(([number]) => number);
    expect(numbers.length).toBeGreaterThan(200);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it("take at most sixty words each", () => {
    const wordsOf = (words: string) => words.split(/[\s|]+/).filter((word) => word !== "");
    expect(rows.filter(([, words]) => wordsOf(words).length > 60).map(([number]) => number)).toEqual([]);
  });

  it("exist if the code cites them", () => {
    const known = new Set(rows.map(([number]) => number));
    const cited = sourceFiles().flatMap(({ text }) => [...text.matchAll(/\bdecisions? ([DO]\d+)/g)]);
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.map(([, number]) => number!).filter((number) => !known.has(number))).toEqual([]);
  });
});
