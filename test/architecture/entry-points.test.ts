import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * The list of each stands in `entry-points/` and changes only on purpose. Those of node, react and the servers are in their API reports,
 * which have each name with its type.
 */
const entryPoints = {
  "browser": "packages/browser/src/index.ts",
  "browser-thumbs": "packages/browser/src/thumbs.ts",
  "browser-headless": "packages/browser/src/headless.ts",
  "protocol": "packages/protocol/src/index.ts",
};

const program = ts.createProgram(Object.values(entryPoints).map(at), {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  jsx: ts.JsxEmit.ReactJSX,
  types: [],
});
const checker = program.getTypeChecker();

/** The names behind a entryPoint, each with whether it is a value or only a type. */
function exportsOf(entryPoint: string): string {
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(at(entryPoint))!);
  const names = checker.getExportsOfModule(symbol!).map((exported) => {
    const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    return `${target.flags & ts.SymbolFlags.Value ? "value" : "type "} ${exported.name}`;
  });
  return `${names.toSorted().join("\n")}\n`;
}

describe("what a package opens to its users changes only on purpose", () => {
  it.each(Object.entries(entryPoints))("%s", async (name, entryPoint) => {
    await expect(exportsOf(entryPoint)).toMatchFileSnapshot(`entry-points/${name}.txt`);
  });
});
