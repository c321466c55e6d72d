import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

// A README quotes a size so: <!-- brotli afterword.js + afterword-ui.js -->9,876<!-- / --> bytes.
// Run this file to write the numbers of the present build into them:  node test/architecture/quoted-sizes.ts

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const quoted = /(<!-- brotli ([\w./+* -]+?) -->)([\d,]+)(<!-- \/ -->)/g;

/** The READMEs that tell sizes. */
export const readmes = ["README.md", "packages/browser/README.md", "packages/react/README.md"];

/** Every size that a README tells: the built files it is about, and the number. */
export function quotedSizes(readme: string): { files: string; bytes: string }[] {
  const quotes = readFileSync(at(readme), "utf8").matchAll(quoted);
  return [...quotes].map(([, , files = "", bytes = ""]) => ({ files, bytes }));
}

/** Bytes of the built files, each compressed alone by brotli at its best, as a CDN serves them. */
export function measuredSize(files: string): string {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  const paths = files.split(" + ").flatMap((file) => globSync(at(`packages/browser/dist/${file.trim()}`)));
  const sizes = paths.map((path) => brotliCompressSync(readFileSync(path), options).length);
  return sizes.reduce((sum, size) => sum + size, 0).toLocaleString("en");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const readme of readmes) {
    const measured = (_: string, begin: string, files: string, _old: string, end: string) =>
      `${begin}${measuredSize(files)}${end}`;
    writeFileSync(at(readme), readFileSync(at(readme), "utf8").replaceAll(quoted, measured));
  }
}
