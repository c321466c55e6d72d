import { createHash } from "node:crypto";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";

const dist = new URL("dist/", import.meta.url);

for (const file of ["index.html", "ask.css"])
  cpSync(new URL(`src/ask/${file}`, import.meta.url), new URL(`ask/${file}`, dist));

// What a page may put beside `src` so that no other file than this one ever runs (subresource integrity).
const files = globSync("**/*.js", { cwd: dist, exclude: ["npm/**"] }).toSorted();
const hashOf = (file: string) =>
  createHash("sha384")
    .update(readFileSync(new URL(file, dist)))
    .digest("base64");
const integrity = Object.fromEntries(
  files.map((file) => [file.replaceAll("\\", "/"), `sha384-${hashOf(file)}`]),
);
writeFileSync(new URL("integrity.json", dist), `${JSON.stringify(integrity, null, 2)}\n`);

// Who is sampled and targeted, as vectors for clients in other languages.
cpSync(new URL("../protocol/vectors/", import.meta.url), new URL("vectors/", dist), { recursive: true });
