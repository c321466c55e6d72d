import { checkSync } from "recheck";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";
import { isTest, type SourceFile, sourceFiles } from "./source-files.ts";

// Where it runs in a thread of its own, it needs Java or a native program.
vi.stubEnv("RECHECK_BACKEND", "pure");

interface Expression {
  path: string;
  /** As a literal. */
  text: string;
}

const baseUrl = "a base URL in the settings of whoever runs the program";
const templates = "files of packages/create-afterword";
const ownPages = "pages of this repository, when they are built";

/** Where an expression may take more time than in proportion to its input, and what bounds that input. */
const bounded: readonly [path: string, text: string, bound: string][] = [
  ["examples/demo/agent/agent.ts", "/refund.*?(\\d{4})/i", "a request that whoever runs the demo types"],
  [
    "examples/demo/agent/agent.ts",
    "/(?:where|track|state|status).*?(\\d{4})/i",
    "a request that whoever runs the demo types",
  ],
  ["examples/forwarder/main.ts", "/\\S{1,64}@\\S{1,255}/g", "looks at 320 characters from each place"],
  ["packages/browser/compare-sizes.ts", "any", ownPages],
  ["packages/browser/served-files.ts", "/[^/]+$/", "paths of this repository"],
  [
    "packages/browser/src/core/page/page.ts",
    "/[^/?]*(\\?.*)?$/",
    "the address that the page itself loads the script from",
  ],
  [
    "packages/conformance/src/clauses/limit-clauses.ts",
    '/"[^"]+";.*q=\\d+/',
    "a header of the server that the kit is run against",
  ],
  [
    "packages/conformance/src/clauses/limit-clauses.ts",
    '/"[^"]+";.*r=\\d+/',
    "a header of the server that the kit is run against",
  ],
  [
    "packages/create-afterword/src/create-app.ts",
    "/^-+|-+$/g",
    "the name of a folder that whoever runs the program has typed",
  ],
  ["packages/dev/src/page/snippets.ts", "/\\S+_AFTERWORD_KEY!?/", templates],
  ["packages/dev/src/page/snippets.ts", "/\\S+_AFTERWORD_BASE_URL!?/", templates],
  ["packages/dev/src/page/snippets.ts", "/(querySelector\\(.+?\\))/g", templates],
  ["packages/node/src/commands/doctor.ts", "/\\/+$/", baseUrl],
  [
    "packages/node/src/scores/run-reference.ts",
    "/^[0-9a-f]*[1-9a-f][0-9a-f]*$/i",
    "checked after the length, 16 or 32",
  ],
  ["packages/node/src/sinks/sink-request.ts", "/\\/+$/", baseUrl],
  ["packages/server/src/health/examine.ts", "/\\/+$/", baseUrl],
  [
    "packages/server/src/log/scrub.ts",
    "/[^\\s\"'<>()@]{1,64}@[^\\s\"'<>()@]{1,255}\\.[^\\s\"'<>()@]{1,64}/g",
    "looks at 383 characters from each place",
  ],
  ["reference-server/src/msw.ts", "/\\/+$/", "a base URL that a test gives"],
  ["site/build/", "any", ownPages],
];

/** An expression built from a template, with a 1 for each value: these are numbers and names of ours. */
function literalOf(call: ts.NewExpression | ts.CallExpression): string {
  const [pattern, flags] = call.arguments ?? [];
  if (!pattern || !(ts.isStringLiteralLike(pattern) || ts.isTemplateExpression(pattern)))
    return `not a template: ${call.getText()}`;
  const source = ts.isTemplateExpression(pattern)
    ? [pattern.head.text, ...pattern.templateSpans.map(({ literal }) => literal.text)].join("1")
    : pattern.text;
  return `/${source}/${flags && ts.isStringLiteralLike(flags) ? flags.text : ""}`;
}

const isRegExpCall = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";

/** All literals and calls of `RegExp`, once per file. */
function expressionsIn({ path, text }: SourceFile): Expression[] {
  const found = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) found.add(node.text);
    else if (isRegExpCall(node)) found.add(literalOf(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...found].map((text) => ({ path, text }));
}

/** What a user of a package, an example or the site runs, and the scripts that build it; no tests. */
const files = sourceFiles().filter((file) => !isTest(file) && /\.(tsx?|m?js)$/.test(file.path));
const expressions = files.flatMap(expressionsIn);

/** The texts whose time is not linear, or that cannot be checked. */
function slowAmong(texts: ReadonlySet<string>): Set<string> {
  const isSafe = (text: string) => {
    const [, source, flags] = /^\/([\s\S]*)\/([a-z]*)$/.exec(text) ?? [];
    return source !== undefined && checkSync(source, flags!, { timeout: 30_000 }).status === "safe";
  };
  return new Set([...texts].filter((text) => !isSafe(text)));
}

describe("a regular expression", () => {
  it("is looked for in packages, examples, the site and the scripts that build them", () => {
    const places = [
      "packages/node/src/",
      "packages/results/src/",
      "packages/dev/src/",
      "packages/server/src/",
      "reference-server/src/",
      "examples/",
      "site/build/",
    ];
    for (const place of [...places, "packages/browser/compare-sizes.ts", "packages/protocol/src/ask-link.ts"])
      expect(expressions.filter(({ path }) => path.startsWith(place))).not.toEqual([]);
  });

  it("takes time in proportion to its input, or its input is bounded", { timeout: 240_000 }, () => {
    const slow = slowAmong(new Set(expressions.map(({ text }) => text)));
    const places = expressions.filter(({ text }) => slow.has(text));
    const isOf = ({ path, text }: Expression, [where, which]: (typeof bounded)[number]) =>
      path.startsWith(where) && (which === "any" || which === text);
    expect(places.filter((place) => !bounded.some((entry) => isOf(place, entry)))).toEqual([]);
    // An entry that nothing needs any more would let a later expression pass.
    expect(bounded.filter((entry) => !places.some((place) => isOf(place, entry)))).toEqual([]);
  });
});
