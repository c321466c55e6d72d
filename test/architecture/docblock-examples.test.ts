import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

// What `@example` shows is compiled in its package, where it may use every name of the entry points.

const folder = fileURLToPath(new URL("../../packages/react", import.meta.url));
const entryPoints = ["index", "ai-sdk", "assistant-ui"].map((name) => join(folder, `src/${name}.ts`));
const read = (path: string) => readFileSync(path, "utf8");

/** By the file in which it would stand, beside its source. */
const examples = new Map(
  globSync(join(folder, "src/*.ts")).flatMap((path) => {
    const blocks = read(path).matchAll(
      /^ \* @example\n((?: \* .*\n)+?) \*\/\nexport (?:function|const) (\w+)/gm,
    );
    return [...blocks].map(([, lines, name]) => {
      const code = lines!.replaceAll(/^ \* /gm, "");
      return [path.replace(/\w[\w-]*\.ts$/, `${name}-example.tsx`), { name: name!, code }] as const;
    });
  }),
);

/** The names that the code uses, imported from the first entry point that has them. */
function withImports(code: string): string {
  const taken = new Set<string>();
  const imports = entryPoints.map((path) => {
    const exported = read(path).matchAll(
      /^export (?:function|interface) (\w+)|^export (?:type )?\{([^}]+)\}/gm,
    );
    const names = [...exported].flatMap(([, one, list = one!]) => list.match(/\b(?!type\b)\w+\b/g) ?? []);
    const used = names.filter((name) => !taken.has(name) && new RegExp(`\\b${name}\\b`).test(code));
    for (const name of used) taken.add(name);
    return `import { ${used.join(", ")} } from ${JSON.stringify(path)};\n`;
  });
  return `${imports.join("")}${code}`;
}

function faultsOfExamples(): string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
    join(folder, "tsconfig.json"),
    {},
    host,
  )!;
  // An example may declare what it does not use, and its imports are not written out.
  const loose = { ...options, noUnusedLocals: false, verbatimModuleSyntax: false, isolatedModules: false };
  const compiler = ts.createCompilerHost(loose);
  const { getSourceFile, fileExists } = compiler;
  compiler.fileExists = (path) => examples.has(path) || fileExists(path);
  compiler.getSourceFile = (path, ...more) => {
    const example = examples.get(path);
    if (!example) return getSourceFile(path, ...more);
    return ts.createSourceFile(path, withImports(example.code), more[0]);
  };
  const styles = fileNames.filter((path) => path.endsWith(".d.ts"));
  const program = ts.createProgram([...examples.keys(), ...styles], loose, compiler);
  return [...examples.keys()]
    .flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)))
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}

it("what people call first in React has an example in its docblock", () => {
  const called = [
    "AfterwordProvider",
    "InlineSurvey",
    "Thumbs",
    "runOf",
    "useAfterword",
    "useRunFeedback",
    "useSurvey",
  ];
  expect([...examples.values()].map(({ name }) => name).toSorted()).toEqual(called);
});

it("every example in a docblock compiles", () => {
  expect(faultsOfExamples()).toEqual([]);
}, 60_000);
