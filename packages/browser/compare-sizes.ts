import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

/**
 * Measures the built files and compares them with similar widgets: `node packages/browser/compare-sizes.ts` prints the
 * table; with `--write` it also updates the numbers in the documents.
 */
const root = new URL("../../", import.meta.url);
const documents = [
  "README.md",
  "packages/browser/README.md",
  "packages/react/README.md",
  "docs/browser/headless.md",
  "docs/browser/sizes.md",
];

/** Highest brotli quality, as a CDN serves it. */
function brotliBytes(content: Buffer): number {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

const dist = fileURLToPath(new URL("packages/browser/dist/", root));
const sum = (files: string) =>
  files
    .split(" + ")
    .flatMap((file) => globSync(dist + file.trim()))
    .reduce((total, path) => total + brotliBytes(readFileSync(path)), 0);
const grouped = (bytes: number) => bytes.toLocaleString("en");

/**
 * Bytes of brotli 11, each file compressed alone. Measured on 2026-11-21 from the published packages (npm entry points
 * bundled and minified with esbuild 0.28.2, es2020), without anything that a vendor's own server adds later.
 */
const others: [name: string, idle: number | undefined, shown: number | undefined, note: string][] = [
  ["posthog-js 1.449.2, script tag", 102_457, 145_257, "145,257 as soon as the project has any live survey"],
  ["posthog-js 1.449.2, slim npm entry with surveys", 60_669, 103_469, ""],
  ["@sentry/browser + feedback 11.12.0, async", 37_927, 50_968, "opens only on a click"],
  ["@formbricks/js 5.1.0 + its survey bundle", 10_110, 232_210, "the bundle is fetched ahead on most pages"],
  ["survey-js-ui 2.5.38", undefined, 272_870, "and 27,653 of CSS"],
  ["@typeform/embed 6.1.1, script tag", 12_160, undefined, "and the hosted form in a frame, not measured"],
];

const own = "afterword.js";
const shown = "afterword.js + afterword-asking.js + afterword-ui.js + afterword-preact.js";
const marked = (files: string) => `<!-- brotli ${files} -->${grouped(sum(files))}<!-- / -->`;

const table = [
  "| | no survey shows | one survey is ready to send | |",
  "|---|---:|---:|---|",
  `| **Afterword**, script tag | **${marked(own)}** | **${marked(shown)}** | |`,
  ...others.map(
    ([name, idle, all, note]) =>
      `| ${name} | ${idle ? grouped(idle) : ""} | ${all ? grouped(all) : ""} | ${note} |`,
  ),
].join("\n");

console.log(table.replaceAll(/<!--.*?-->/g, ""));

if (process.argv.includes("--write")) {
  for (const document of documents) {
    const path = new URL(document, root);
    const text = readFileSync(path, "utf8")
      .replace(
        /(<!-- sizes -->\n)[^]*?(<!-- \/sizes -->)/,
        (_, begin: string, end: string) => `${begin}${table}\n${end}`,
      )
      .replaceAll(/<!-- brotli ([\w./+* -]+?) -->[\d,]*<!-- \/ -->/g, (_, files: string) => marked(files));
    writeFileSync(path, text);
  }
}
