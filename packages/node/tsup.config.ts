import { defineConfig, type Options } from "tsup";

// Private: their code and types are bundled into what is published.
const own = /^@afterword\/(protocol|command-line)/;
// With the files that its entry point names, and without the paths, which tsup takes for packages to leave alone.
const types = {
  resolve: [own, /^\.{1,2}\//],
  compilerOptions: { paths: {} },
  // `await using` of a forwarder, in projects without `@types/node`.
  banner: '/// <reference lib="esnext.disposable" />',
};

const library: Options = { noExternal: [own], target: "es2023", sourcemap: true };
const frameworks = ["ai-sdk", "openai-agents", "langgraph", "claude-agent-sdk"];
const entryPoints = Object.fromEntries([
  ...["index", "forwarder", "terminal"].map((name) => [name, `src/${name}.ts`]),
  ...frameworks.map((name) => [name, `src/frameworks/${name}.ts`]),
]);

export default defineConfig([
  // Of both formats by one reading of the sources, which is most of what a build costs.
  { ...library, entry: entryPoints, format: ["esm", "cjs"], dts: { ...types, only: true } },
  { ...library, entry: entryPoints, format: ["esm"] },
  // ky is ESM only, which the oldest supported Node cannot require.
  { ...library, entry: entryPoints, format: ["cjs"], noExternal: [own, "ky"] },
  { ...library, entry: ["src/cli.ts"], format: ["esm"], platform: "node" },
]);
