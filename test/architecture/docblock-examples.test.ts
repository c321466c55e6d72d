import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(root + path, "utf8");
const firstCalled = `createAfterword createHeadlessAfterword defineSurveyElement defineThumbsElement createApp
  AfterwordProvider InlineSurvey Thumbs runOf useAfterword useRunFeedback useSurvey
  Afterword askLink createForwarder createMintHandler defineSink eraseEverywhere withFeedback
  langfuse phoenix webhook mswHandlers startServer`;
const entryPointsOf = {
  "packages/browser": ["thumbs", "headless", "index"],
  "packages/react": ["ai-sdk", "index"],
  "packages/node": ["forwarder", "index"],
  "reference-server": ["index"],
};

it("what people call first has an example in its docblock, which compiles with the exports of its package", () => {
  const target = mkdtempSync(`${tmpdir()}/afterword-examples-`);
  onTestFinished(() => rmSync(target, { recursive: true }));
  for (const one of ["@afterword", "@types"]) mkdirSync(`${target}/node_modules/${one}`, { recursive: true });
  const link = (folder: string, name: string) => symlinkSync(root + folder, `${target}/node_modules/${name}`);
  for (const one of ["react", "@types/react"]) link(`packages/react/node_modules/${one}`, one);
  link("reference-server/node_modules/msw", "msw");
  link("node_modules/@types/node", "@types/node");
  const found = Object.entries(entryPointsOf).flatMap(([folder, entryPoints]) => {
    const name = `@afterword/${folder.split("/").at(-1)}`;
    link(folder, name);
    // By its API reports; what two entry points export, the last one gives.
    const exported = entryPoints.flatMap((one) =>
      [...read(`${folder}/api/${one}.api.md`).matchAll(/^export \w+ (\w+)/gm)].map(
        ([, value]) => [value, `${name}/${one}`.replace("/index", "")] as const,
      ),
    );
    const imports = [...new Map(exported)].map(([value, path]) => `import { ${value} } from "${path}";\n`);
    const sources = globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root }).map(read).join("\n");
    const examples =
      / \* @example\n((?: *\* .*\n)+?) *\*\/\n *(?:export |async |function |const |class )*(\w+)/g;
    return [...sources.matchAll(examples)].map(([, lines, value]) => {
      writeFileSync(`${target}/${value}.tsx`, imports.join("") + lines!.replaceAll(/^ *\* /gm, ""));
      return value;
    });
  });
  expect(found).toEqual(expect.arrayContaining(firstCalled.split(/\s+/)));
  const compilerOptions = { jsx: "react-jsx", types: ["node"], paths: {}, verbatimModuleSyntax: false };
  const settings = { extends: `${root}tsconfig.base.json`, compilerOptions };
  writeFileSync(`${target}/tsconfig.json`, JSON.stringify(settings));
  const words = [`${root}node_modules/typescript-native/bin/tsc`, "-p", target, "--noUnusedLocals", "false"];
  expect(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout).toBe("");
}, 30_000);
