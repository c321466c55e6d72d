import type { AfterwordOptions } from "./core/public/index.ts";
import { fileLoader } from "./core/page/index.ts";
import { openHeadless, type HeadlessAfterword } from "./headless/open-headless.ts";

// Served as built, beside the script tag's files, some of which it loads too.
const load = fileLoader(import.meta.url);

/** The headless entry point for pages without a bundler: `import { createHeadlessAfterword } from "…/headless.js"`. */
export function createHeadlessAfterword(options: AfterwordOptions): HeadlessAfterword {
  return openHeadless(options, window, {
    asking: () => load("afterword-asking"),
    rating: () => load("afterword-rating"),
    debug: () => load("afterword-debug"),
  });
}
