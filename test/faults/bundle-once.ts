import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Not bundled: a native module, one that `kill-after.mjs` reaches into, and one that may be absent. */
const external = ["better-sqlite3", "pg", "@opentelemetry/api"];

/** Bundled CommonJS modules require those of Node. */
const banner = `import { createRequire as of } from "node:module"; const require = of(import.meta.url);`;

/**
 * Makes one file of a program and all sources that it imports, and returns its path. A test that starts
 * processes for minutes must not start them on sources that are being edited: nodes of two versions, or of one
 * that is half written, fail in irreproducible ways. With its libraries in the same file it also starts in half
 * of the processor time.
 *
 * @param program the path of its main module
 * @param home the package whose installed modules it uses, for example `packages/server`
 * @param plugins what they change makes another version
 */
export async function bundleOnce(program: string, home: string, plugins: Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    external,
    banner: { js: banner },
    logLevel: "error",
    plugins,
  });
  return keep(outputFiles[0]!.contents, basename(program, ".ts"), home);
}

/** Puts a program where it finds the modules of its home, and returns its path. */
export function keep(bytes: Uint8Array, name: string, home: string): string {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const folder = at(`${home}/node_modules/.cache/afterword-faults`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${digest}.mjs`);
  place(bytes, file);
  // Programs that open SQLite read it beside them.
  place(readFileSync(at("reference-server/src/store/sqlite/schema.sql")), join(folder, "schema.sql"));
  return file;
}

/** Renamed into place, since another worker may start a program now. */
function place(bytes: Uint8Array, file: string): void {
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
}
