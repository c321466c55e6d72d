import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";

// What a page may put beside `src` so that no other file than this one ever runs (subresource integrity).
const dist = new URL("dist/", import.meta.url);
const files = globSync("**/*.js", { cwd: dist, exclude: ["npm/**"] }).toSorted();
const integrity = Object.fromEntries(
  files.map((file) => [
    file.replaceAll("\\", "/"),
    `sha384-${createHash("sha384")
      .update(readFileSync(new URL(file, dist)))
      .digest("base64")}`,
  ]),
);
writeFileSync(new URL("integrity.json", dist), `${JSON.stringify(integrity, null, 2)}\n`);
