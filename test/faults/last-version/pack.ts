// Packs the server as it is in this clone as the last version, which `rolling-upgrade.test.ts` runs beside the next one. Run it
// for the commit of a release, right after that release:  npx -y pnpm@12 exec node test/faults/last-version/pack.ts
// The file has the project's own code alone, 60 kB of it. The libraries are those of the clone that runs it.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const { version, dependencies, peerDependencies } = JSON.parse(
  readFileSync(at("packages/server/package.json"), "utf8"),
);

const { outputFiles } = await build({
  entryPoints: [at("test/faults/node-program.ts")],
  bundle: true,
  write: false,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node22",
  external: Object.keys({ ...dependencies, ...peerDependencies }),
  logLevel: "error",
});
const packed = brotliCompressSync(outputFiles[0]!.contents);
writeFileSync(at("test/faults/last-version/server-node.mjs.br"), packed);
console.log(`test/faults/last-version/server-node.mjs.br is version ${version}: ${packed.length} bytes`);
