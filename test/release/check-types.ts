import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Packed } from "./check-contents.ts";

const bin = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));

/** What a tool says about a tarball; `undefined` if it is content. */
function complaints(tool: string, words: string[]): Promise<string | undefined> {
  return new Promise((resolve) =>
    execFile(
      join(bin, tool),
      words,
      { env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" } },
      (error, out, errors) => resolve(error ? `${out}${errors}` : undefined),
    ),
  );
}

/** One line for each tool that finds fault with how a package may be imported. */
export async function checkTypes(tarball: string, { folder }: Packed): Promise<string[]> {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (exports === undefined) return [];
  const hasCommonJs = JSON.stringify(exports).includes('"require"');
  // Files that a page loads by their names have no types.
  const untyped = Object.keys(exports).filter((one) => /\.(js|html|json)$/.test(one));
  const ignored = hasCommonJs ? [] : ["--ignore-rules", "cjs-resolves-to-esm"];
  const attw = [
    tarball,
    "--no-color",
    "--no-emoji",
    "--format",
    "ascii",
    ...ignored,
    ...(untyped.length > 0 ? ["--exclude-entrypoints", ...untyped] : []),
  ];
  const found = {
    publint: await complaints("publint", ["run", tarball, "--strict"]),
    attw: await complaints("attw", attw),
  };
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
  return Object.entries(found)
    .flatMap(([tool, said]) => (said === undefined ? [] : [{ tool, said }]))
    .map(
      ({ tool, said }) =>
        `${name}: ${tool} refuses it, correct "exports" in its package.json: ${oneLine(said)}`,
    );
}
