import { defineConfig, type Options } from "tsup";

// The protocol is private: its code and its types are bundled into what is published.
const protocol = /^@afterword\/protocol/;
const library: Options = {
  format: ["esm"],
  target: "es2022",
  platform: "browser",
  noExternal: [protocol],
  minify: "terser",
  // A directive of a framework is not redundant.
  terserOptions: { compress: { directives: false } },
};
const types: Options["dts"] = { resolve: [protocol, /^\.{1,2}\//], compilerOptions: { paths: {} } };

/** Server components may render what is in here. */
const forClients: NonNullable<Options["plugins"]>[number] = {
  name: "for-clients",
  renderChunk: (code) => ({ code: `"use client";${code}` }),
};

const names = ["index", "ai-sdk", "assistant-ui"];

export default defineConfig([
  // All types by one reading of the sources, which is most of what a build costs.
  { ...library, entry: names.map((name) => `src/${name}.ts`), dts: { ...types, only: true } },
  { ...library, entry: ["src/index.ts"], splitting: true, plugins: [forClients] },
  // Plain functions, which server components may call; each in a file of its own.
  { ...library, entry: ["src/ai-sdk.ts"] },
  { ...library, entry: ["src/assistant-ui.ts"] },
]);
