import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { functionLengths, isTest, quantile, sourceFiles } from "./source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = sourceFiles();
const code = files.filter((file) => !isTest(file) && /\.tsx?$/.test(file.path));
const linesOf = (text: string) => text.split("\n").length - 1;
const functionLines = code.flatMap(functionLengths);

describe("the shape of the code", () => {
  it("has no drawer without a name of its own", () => {
    const drawers = /(^|\/)(utils?|helpers?|common|misc|lib|shared)(\/|\.[a-z]+$)/;
    expect(files.map(({ path }) => path).filter((path) => drawers.test(path))).toEqual([]);
  });

  it("has a median file of at most 90 lines, and nine of ten functions of at most 17", () => {
    const fileLines = code.map(({ text }) => linesOf(text));
    expect(quantile(fileLines, 0.5)).toBeLessThanOrEqual(90);
    expect(quantile(functionLines, 0.9)).toBeLessThanOrEqual(17);
  });

  it("has examples of fewer than 60 lines of code, but for the demo", () => {
    const paths = globSync("examples/*/**/*.{ts,js,html,css,py,sh,yml,yaml}", {
      cwd: root,
      exclude: (path) => /(^|\/)(demo|node_modules|dist)(\/|$)/.test(path),
    });
    const comment = /^\s*(#.*|\/\/.*|\/\*\*.*)?$/;
    for (const [folder, own] of Map.groupBy(paths, (path) => path.split("/")[1])) {
      const lines = own.flatMap((path) => readFileSync(`${root}/${path}`, "utf8").split("\n"));
      expect(lines.filter((line) => !comment.test(line)).length, folder).toBeLessThan(60);
    }
  });

  it("opens its packages by name: no `export *`", () => {
    expect(code.filter(({ text }) => /^export \*/m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("leaves nothing to be done later and silences no check without a reason", () => {
    const later = /\b(TODO|FIXME|XXX|HACK)\b|(eslint|oxlint)-disable(?!.* -- )/;
    const self = "test/architecture/shape.test.ts";
    expect(
      files.filter(({ path, text }) => path !== self && later.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it("sets no variable of the environment by hand in a test: files share a worker", () => {
    const byHand = /process\.env(\.\w+|\[[^\]]+\]) (\?\?)?= |delete process\.env/;
    const tests = files.filter(({ path }) => /\.(test|suite|fixture)\.tsx?$/.test(path));
    expect(tests.filter(({ text }) => byHand.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
