import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Brotli at its best, as a CDN serves it. */
function brotliBytes(file: string): number {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return brotliCompressSync(readFileSync(at(`packages/browser/dist/${file}`)), options).length;
}

// A size in a README is written so: `afterword.js` ... <!-- brotli afterword.js -->2,345<!-- / --> bytes.
const quoted = /<!-- brotli ([\w./+ -]+?) -->([\d,]+)<!-- \/ -->/g;

describe.each(["README.md", "packages/browser/README.md"])("the sizes that %s tells", (readme) => {
  const quotes = [...readFileSync(at(readme), "utf8").matchAll(quoted)];

  it("are there", () => expect(quotes.length).toBeGreaterThan(0));

  it.each(quotes.map(([, files = "", bytes = ""]) => [files, bytes]))(
    "%s: %s bytes, as built",
    (files, bytes) => {
      const sum = files.split(" + ").reduce((total, file) => total + brotliBytes(file.trim()), 0);
      expect(sum.toLocaleString("en")).toBe(bytes);
    },
  );
});
