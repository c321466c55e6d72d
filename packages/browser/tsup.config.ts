import { globSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { minifiedCss } from "./minified-css.ts";
import { servedFiles } from "./served-files.ts";
import { sharedPreact } from "./shared-preact.ts";

const everywhere: Options = { target: "es2022", platform: "browser", esbuildPlugins: [minifiedCss] };

// Served as built, without the page's bundler in between.
const served: Options = {
  ...everywhere,
  noExternal: [/.*/],
  minify: "terser",
  sourcemap: true,
  terserOptions: { ecma: 2020, compress: { passes: 2 } },
  outDir: "dist",
  outExtension: () => ({ js: ".js" }),
};

// With its languages, and Preact, as files beside it.
const speaking: Options = { ...served, esbuildPlugins: [minifiedCss, servedFiles, sharedPreact] };

// In its own folder, where its languages are chunks.
const askPage: Options = { ...served, outDir: "dist/ask", splitting: true };

// One file per language; English is in the widget's.
const texts = globSync("src/texts/translated/??.json");
const textEntries = Object.fromEntries(texts.map((path) => [`texts/${path.slice(-7, -5)}`, path]));

export default defineConfig([
  {
    ...everywhere,
    entry: ["src/index.ts", "src/headless.ts", "src/thumbs.ts"],
    noExternal: [/@afterword\/protocol/],
    outDir: "dist/npm",
    format: ["esm"],
    splitting: true,
    sourcemap: true,
    // Bundles the types of the protocol, which is private. No `paths`: tsup would leave them as external packages.
    dts: { resolve: [/^@afterword\/protocol/, /^\.{1,2}\//], compilerOptions: { paths: {} } },
  },
  { ...served, entry: { afterword: "src/script-tag.ts" }, format: ["iife"] },
  { ...served, entry: { "afterword-preact": "src/preact-script.ts" }, format: ["esm"] },
  { ...served, entry: { headless: "src/headless-module.ts" }, format: ["esm"] },
  // Headless pages draw surveys themselves, and pages with thumbs show none.
  { ...speaking, entry: { "afterword-ui": "src/ui/index.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-asking": "src/core/asking/open-surveys.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-rating": "src/core/rating/rate.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-debug": "src/core/explain/index.ts" }, format: ["esm"] },
  { ...speaking, entry: { "afterword-thumbs": "src/thumbs-script.ts" }, format: ["esm"] },
  { ...speaking, entry: { "afterword-vote-details": "src/thumbs/vote-details.tsx" }, format: ["esm"] },
  { ...askPage, entry: { ask: "src/ask/ask.ts" }, format: ["esm"] },
  { ...served, entry: textEntries, format: ["esm"], splitting: false },
]);
