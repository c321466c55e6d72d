import { createHash } from "node:crypto";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";

const dist = new URL("dist/", import.meta.url);

for (const file of ["index.html", "ask.css"])
  cpSync(new URL(`src/ask/${file}`, import.meta.url), new URL(`ask/${file}`, dist));

// The license travels with `afterword-preact.js` and the page for links, which have Preact in them.
cpSync(new URL("node_modules/preact/LICENSE", import.meta.url), new URL("preact-license.txt", dist));

// Subresource integrity hashes for a page's script tags, so that only these exact files run.
const files = globSync("**/*.js", { cwd: dist, exclude: ["npm/**"] }).toSorted();
// Tools look for the name of the source map on a line of its own.
for (const file of files) {
  const text = readFileSync(new URL(file, dist), "utf8");
  writeFileSync(new URL(file, dist), text.replace(/(?<!\n)\/\/# sourceMappingURL=\S+\s*$/, "\n$&"));
}
const hashOf = (file: string) =>
  createHash("sha384")
    .update(readFileSync(new URL(file, dist)))
    .digest("base64");
const integrity = Object.fromEntries(
  files.map((file) => [file.replaceAll("\\", "/"), `sha384-${hashOf(file)}`]),
);
writeFileSync(new URL("integrity.json", dist), `${JSON.stringify(integrity, null, 2)}\n`);

// Test vectors for sampling and targeting, for clients in other languages.
cpSync(new URL("../protocol/vectors/", import.meta.url), new URL("vectors/", dist), { recursive: true });
