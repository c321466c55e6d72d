import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, it } from "vitest";
import { namesOfCore, namesOfView } from "../../packages/browser/internal-names.ts";

const folder = fileURLToPath(new URL("../../packages/browser/", import.meta.url));
const isOwn = ({ fileName }: ts.SourceFile) => fileName.startsWith(`${folder}src/`);

let program: ts.Program;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${folder}tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  program = ts.createProgram(fileNames, { ...options, noEmit: true });
  program.getTypeChecker();
}, 60_000);

/** Where the sources mean a member of one of these names that is declared outside the package, as `file: name`. */
function foreignUses(names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && names.has(node.text) && isForeign(memberMeant(node))) {
      found.push(`${node.getSourceFile().fileName.slice(folder.length)}: ${node.text}`);
    }
    ts.forEachChild(node, look);
  };
  const files = program.getSourceFiles().filter(({ fileName }) => !/\.test\.tsx?$/.test(fileName));
  for (const file of files) if (isOwn(file)) look(file);
  return found;
}

const isForeign = (member: ts.Symbol | undefined) =>
  !!member?.declarations?.some((declaration) => !isOwn(declaration.getSourceFile()));

/** The member that a name stands for: in `object.name`, or in `const { name } = object`. */
function memberMeant(node: ts.Identifier): ts.Symbol | undefined {
  const { parent } = node;
  const checker = program.getTypeChecker();
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return checker.getSymbolAtLocation(node);
  if (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node) {
    return checker.getTypeAtLocation(parent.parent).getProperty(node.text);
  }
  return undefined;
}

it("a name that the served files shorten is never a member of the browser, the language or the wire", () => {
  expect(foreignUses(new Set([...namesOfCore, ...namesOfView]))).toEqual([]);
}, 60_000);

it("a member of the browser that is used would be found", () => {
  expect(foreignUses(new Set(["remove", "isComposing"]))).toEqual(
    expect.arrayContaining([expect.stringContaining(": remove"), expect.stringContaining(": isComposing")]),
  );
}, 60_000);
