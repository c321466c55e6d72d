import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { isTest, sourceFiles } from "./source-files.ts";

const document = readFileSync(new URL("../../.github/SECURITY.md", import.meta.url), "utf8");

/** The rows of the tables whose last column names tests. */
const claims = document
  .split(/\n\n/)
  .filter((block) => block.startsWith("| promise | tests |"))
  .flatMap((table) => table.trim().split("\n").slice(2))
  .map((row) => row.slice(2, -2).split(" | ") as [promise: string, tests: string]);
const titlesIn = (text: string) => [...text.matchAll(/"([^"]+)"/g)].map(([, title]) => title!);

/** The titles of all tests, as they are written. */
function titlesOf(text: string): string[] {
  const titles: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(it|test)\b/.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true));
  return titles;
}

describe("the promises of SECURITY.md", () => {
  const existing = new Set(
    sourceFiles()
      .filter(isTest)
      .flatMap(({ text }) => titlesOf(text)),
  );

  it("are there, each with tests", () => {
    expect(claims.length).toBeGreaterThan(20);
    expect(claims.filter(([, tests]) => titlesIn(tests).length === 0)).toEqual([]);
  });

  it.each(claims)("%s: its tests exist", (_, tests) => {
    expect(titlesIn(tests).filter((title) => !existing.has(title))).toEqual([]);
  });
});
