import { defineConfig, type Options } from "tsup";
import { minified } from "../browser/minified.ts";

// The protocol is private: its code and its types are bundled into what is published.
const protocol = /^@afterword\/protocol/;
const library: Options = {
  format: ["esm"],
  target: "es2022",
  platform: "browser",
  noExternal: [protocol],
  plugins: [minified],
};
const types: Options["dts"] = { resolve: [protocol, /^\.{1,2}\//], compilerOptions: { paths: {} } };

/** Server components may render what is in here. Minifying moves a directive away from its place. */
const forClients: NonNullable<Options["plugins"]>[number] = {
  name: "for-clients",
  renderChunk: (code) => ({ code: `"use client";${code}` }),
};

const names = ["index", "ai-sdk", "assistant-ui"];

export default defineConfig([
  // All types by one reading of the sources, which is most of what a build costs.
  { ...library, entry: names.map((name) => `src/${name}.ts`), dts: { ...types, only: true } },
  { ...library, entry: ["src/index.ts"], splitting: true, plugins: [minified, forClients] },
  // Plain functions, which server components may call; each in a file of its own.
  { ...library, entry: ["src/ai-sdk.ts"] },
  { ...library, entry: ["src/assistant-ui.ts"] },
]);
