import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

// A document quotes a size so: <!-- brotli afterword.js + afterword-ui.js -->9,876<!-- / --> bytes.
// To write the numbers of the present build into all of them: node packages/browser/compare-sizes.ts --write

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const quoted = /<!-- brotli ([\w./+* -]+?) -->([\d,]+)<!-- \/ -->/g;

/** The documents that quote sizes. */
export const documents = [
  "README.md",
  "packages/browser/README.md",
  "packages/react/README.md",
  "docs/browser/headless.md",
  "docs/browser/sizes.md",
];

/** Every size that a document quotes: its built files, and the number. */
export function quotedSizes(document: string): { files: string; bytes: string }[] {
  const quotes = readFileSync(at(document), "utf8").matchAll(quoted);
  return [...quotes].map(([, files = "", bytes = ""]) => ({ files, bytes }));
}

/** Bytes of the built files, each compressed alone by brotli at its best, as a CDN serves them. */
export function measuredSize(files: string): string {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  const paths = files.split(" + ").flatMap((file) => globSync(at(`packages/browser/dist/${file.trim()}`)));
  const sizes = paths.map((path) => brotliCompressSync(readFileSync(path), options).length);
  return sizes.reduce((sum, size) => sum + size, 0).toLocaleString("en");
}
