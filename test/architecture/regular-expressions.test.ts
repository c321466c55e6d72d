import { checkSync } from "recheck";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";
import { isTest, sourceFiles } from "./source-files.ts";

// Where it runs in a thread of its own, it needs Java or a native program.
vi.stubEnv("RECHECK_BACKEND", "pure");

/** Expressions whose time grows faster than their input, and what bounds that input. */
const bounded: Readonly<Record<string, string>> = {
  "/\\/+$/": "a base URL in the settings of whoever runs the program",
  "/^[0-9a-f]*[1-9a-f][0-9a-f]*$/i": "checked after the length, 16 or 32",
  "/[^\\s\"'<>()@]{1,64}@[^\\s\"'<>()@]{1,255}\\.[^\\s\"'<>()@]{1,64}/g":
    "looks at 383 characters from each place",
  "/^-+|-+$/g": "the name of a folder that whoever runs the program has typed",
  '/"[^"]+";.*q=\\d+/': "a header of the server that the kit is run against",
  '/"[^"]+";.*r=\\d+/': "a header of the server that the kit is run against",
  "/\\s*,\\s*/": "a variable of whoever runs the program",
  "/[^/?]*(\\?.*)?$/": "the address that the page itself loads the script from",
};

interface Expression {
  path: string;
  text: string;
}

/** All literals; what is built from a string has to be one of these to be checked. */
function expressions(): { literals: Expression[]; built: Expression[] } {
  const literals = new Map<string, Expression>();
  const built: Expression[] = [];
  const code = sourceFiles().filter((file) => !isTest(file) && /\/src\/.*\.tsx?$/.test(file.path));
  for (const { path, text } of code) {
    const visit = (node: ts.Node) => {
      if (ts.isRegularExpressionLiteral(node)) literals.set(node.text, { path, text: node.text });
      if (ts.isNewExpression(node) && node.expression.getText() === "RegExp")
        built.push({ path, text: node.getText() });
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  }
  return { literals: [...literals.values()], built };
}

const { literals, built } = expressions();

function statusOf(literal: string): string {
  const [, source = "", flags = ""] = /^\/([\s\S]*)\/([a-z]*)$/.exec(literal) ?? [];
  return checkSync(source, flags, { timeout: 30_000 }).status;
}

describe("a regular expression", () => {
  it("takes time in proportion to its input, or its input is bounded", { timeout: 120_000 }, () => {
    expect(literals.length).toBeGreaterThan(100);
    const slow = literals.filter(({ text }) => statusOf(text) !== "safe");
    expect(slow.map(({ text }) => text).toSorted()).toEqual(Object.keys(bounded).toSorted());
  });

  it("is a literal, so that this test sees it, but for two that are made of constants", () => {
    expect(built.map(({ path }) => path).toSorted()).toEqual([
      "packages/create-afterword/src/find-dev.ts",
      "packages/protocol/src/ask-link.ts",
    ]);
  });
});
