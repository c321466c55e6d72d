import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A source file with its text. */
export interface SourceFile {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
}

/** Every source file of the packages, the server, the examples, the site and the tests. */
export function sourceFiles(): SourceFile[] {
  const paths = globSync("{packages/*,reference-server,examples/*,site,test}/**/*.{ts,tsx,js,mjs,css}", {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|coverage)(\/|$)/.test(path),
  });
  return [...new Set(paths)]
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
}

export const isTest = ({ path }: SourceFile) =>
  path.startsWith("test/") || /\.(test|suite|bench)\.tsx?$/.test(path);

/** The lengths in lines of all functions; nested ones count inside their parent too. */
export function functionLengths({ path, text }: SourceFile): number[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lengths: number[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      lengths.push(lineOf(node.end) - lineOf(node.getStart(file)) + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lengths;
}

/** The value at a share of a sorted list: 0.5 is the median. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
