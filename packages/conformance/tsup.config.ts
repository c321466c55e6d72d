import { defineConfig, type Options } from "tsup";

// The protocol is private: its plain tables are bundled into what is published.
const protocol = /^@afterword\/protocol/;
const common: Options = { noExternal: [protocol], target: "es2023", format: ["esm"], platform: "node" };

export default defineConfig([
  { ...common, entry: ["src/index.ts"], dts: { resolve: [protocol], compilerOptions: { paths: {} } } },
  { ...common, entry: ["src/cli.ts"] },
]);
