import { defineConfig, type Options } from "tsup";

// Private: what is imported of them is bundled into what is published.
const own = /^@afterword\/(protocol|command-line)/;
const common: Options = { noExternal: [own], target: "es2023", format: ["esm"], platform: "node" };

export default defineConfig([
  { ...common, entry: ["src/index.ts"], dts: { resolve: [own], compilerOptions: { paths: {} } } },
  { ...common, entry: ["src/cli.ts"] },
]);
