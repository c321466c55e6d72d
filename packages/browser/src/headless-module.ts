import type { AfterwordOptions } from "./core/options.ts";
import { openHeadless, type HeadlessAfterword } from "./open-headless.ts";

// Served as it is, beside the script tag's files, and sharing their chunks: members are shortened alike in all of them.
const load = <Module>(name: string): Promise<Module> => import(new URL(name, import.meta.url).href);

/** The headless door for pages without a bundler: `import { createHeadlessAfterword } from "…/headless.js"`. */
export function createHeadlessAfterword(options: AfterwordOptions): HeadlessAfterword {
  return openHeadless(options, window, {
    asking: () => load("./afterword-asking.js"),
    explain: () => load("./afterword-debug.js"),
  });
}
