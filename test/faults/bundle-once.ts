import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Libraries are not bundled: they do not change. */
function libraries(home: string): string[] {
  const manifest = JSON.parse(readFileSync(at(`${home}/package.json`), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(manifest.dependencies);
}

/**
 * Makes one file of a program and all sources that it imports, and returns its path. A test that starts
 * processes for minutes must not start them on sources that are being edited: nodes of two versions, or of one
 * that is half written, fail in irreproducible ways. It also loads faster.
 *
 * @param program the path of its main module
 * @param home the package whose libraries it uses, for example `reference-server`
 */
export async function bundleOnce(program: string, home: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    external: libraries(home),
    logLevel: "error",
  });
  const bytes = outputFiles[0]!.contents;
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  // From here the program finds the libraries of its home.
  const folder = at(`${home}/node_modules/.cache/afterword-faults`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${basename(program, ".ts")}-${digest}.mjs`);
  // Renamed into place, since another worker may start the same program now.
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
