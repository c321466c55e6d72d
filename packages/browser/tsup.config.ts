import { globSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { leanPreact } from "./lean-preact.ts";
import { minifiedCss } from "./minified-css.ts";
import { servedFiles } from "./served-files.ts";

const everywhere: Options = { target: "es2022", platform: "browser", esbuildPlugins: [minifiedCss] };

// Served as built, without the page's bundler in between.
const served: Options = {
  ...everywhere,
  noExternal: [/.*/],
  minify: "terser",
  terserOptions: { ecma: 2020, compress: { passes: 2 } },
  outDir: "dist",
  outExtension: () => ({ js: ".js" }),
};

const widget: Options = {
  esbuildPlugins: [minifiedCss, servedFiles],
  esbuildOptions(options) {
    options.alias = leanPreact;
  },
};

// In its own folder, with its languages as files beside it.
const askPage: Options = { ...widget, esbuildPlugins: [minifiedCss], outDir: "dist/ask", splitting: true };

const thumbs: Options = { esbuildPlugins: [minifiedCss, servedFiles] };

// One file per language; English is in the widget's.
const texts = globSync("src/ui/texts/??.ts", { exclude: ["**/en.ts"] });
const textEntries = Object.fromEntries(texts.map((path) => [`texts/${path.slice(-5, -3)}`, path]));

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
  { ...served, entry: { headless: "src/headless-module.ts" }, format: ["esm"] },
  // Headless pages draw surveys themselves, and pages with thumbs show none.
  { ...served, ...widget, entry: { "afterword-ui": "src/ui/index.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-asking": "src/core/asking.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-inline": "src/core/inline.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-debug": "src/core/explain.ts" }, format: ["esm"] },
  { ...served, entry: { "afterword-thumbs": "src/thumbs-script.ts" }, ...thumbs, format: ["esm"] },
  { ...served, ...askPage, entry: { ask: "src/ask/ask.ts" }, format: ["esm"] },
  { ...served, entry: textEntries, format: ["esm"], splitting: false },
]);
