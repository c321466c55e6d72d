import { readFileSync } from "node:fs";
import {
  anchorOf,
  clientClauses,
  headings,
  notObservable,
  sectionOf,
  serverClauses,
} from "@afterword/conformance";
import { describe, expect, it } from "vitest";

const contract = readFileSync(new URL("../../packages/protocol/README.md", import.meta.url), "utf8");
const rules = contract.slice(contract.indexOf("## 1. Purpose"), contract.indexOf("## Changing the contract"));

/** One line for each paragraph, item of a list and row of a table, with its section; rows that head a table are left out. */
function passages(text: string): [section: string, passage: string][] {
  const lines = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").split("\n");
  const found: [section: string, passage: string][] = [];
  let [isOpen, section] = [false, ""];
  for (const [at, line] of lines.entries()) {
    const isRow = line.startsWith("|");
    const heads = /^\|[-|]+$/.test(line) || /^\|[-|]+$/.test(lines[at + 1] ?? "");
    if (line.startsWith("#")) section = sectionOf(line.replace(/^#+ /, ""));
    if (line.trim() === "" || line === "---" || line.startsWith("#")) isOpen = false;
    else if (isRow && !heads) found.push([section, line]);
    else if (isRow) continue;
    else if (isOpen && !/^(- |\d+\. )/.test(line)) found.at(-1)![1] += ` ${line.trim()}`;
    else isOpen = found.push([section, line.replace(/^(- |\d+\. )/, "")]) > 0;
  }
  return found;
}

/**
 * The sentences of the contract, each after its section, since some are the same in several. A row of a table is one
 * sentence. What the contract says of the reference server alone is left out.
 */
const sentences = passages(rules).flatMap(([section, passage]) =>
  (passage.startsWith("|")
    ? [passage]
    : passage
        .replace(/\*Reference server\*.*/, "")
        .split(/(?<=[.!])\s+(?=[A-Z`*[(])/)
        .filter((sentence) => sentence.trim() !== "")
  ).map((sentence) => `${section}: ${sentence}`),
);

const clauses = [...serverClauses, ...Object.values(clientClauses).flat()];
const quotes = [...clauses.flatMap(({ proves }) => proves), ...Object.values(notObservable).flat()];

describe("the contract's sentences", () => {
  it("are several hundred", () => expect(sentences.length).toBeGreaterThan(400));

  it("each have a clause that proves it, or a reason why none can", () => {
    const bare = sentences.filter((sentence) => !quotes.some((quote) => sentence.includes(quote)));
    expect(bare).toEqual([]);
  });

  it("are quoted as they are: a changed sentence loses its clause", () => {
    const strangers = quotes.filter((quote) => !sentences.some((sentence) => sentence.includes(quote)));
    expect(strangers).toEqual([]);
  });

  it("are quoted one at a time", () => {
    const ambiguous = quotes
      .map((quote) => [quote, sentences.filter((sentence) => sentence.includes(quote))] as const)
      .filter(([, found]) => found.length > 1);
    expect(ambiguous).toEqual([]);
  });

  it("are not both proved and beyond proof", () => {
    const proved = new Set(clauses.flatMap(({ proves }) => proves));
    const reasons = Object.values(notObservable).flat();
    const both = sentences.filter(
      (sentence) =>
        reasons.some((quote) => sentence.includes(quote)) &&
        [...proved].some((quote) => sentence.includes(quote)),
    );
    expect(both).toEqual([]);
  });
});

describe("the kit's sections", () => {
  it("are the contract's, with its anchors", () => {
    const named = [...rules.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(named);
    const anchors = headings.map((one) => anchorOf(sectionOf(one)));
    const linked = [...contract.matchAll(/\]\((#[\w-]+)\)/g)].map(([, anchor]) => anchor!);
    const unknown = linked.filter((anchor) => !anchors.includes(anchor));
    expect([...new Set(unknown)]).toEqual(["#changing-the-contract"]);
  });

  it("are those of the clauses, whose titles differ", () => {
    const known = new Set(headings.map(sectionOf));
    expect(clauses.filter(({ section }) => !known.has(section))).toEqual([]);
    for (const list of [serverClauses, ...Object.values(clientClauses)])
      expect(new Set(list.map(({ title }) => title)).size).toBe(list.length);
  });
});
