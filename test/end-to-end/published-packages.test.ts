import { globSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const specifier = /(?:\bfrom\s+|\bimport\()["']([^"'.][^"']*)["']/g;
const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0];

interface Manifest {
  name: string;
  dependencies?: object;
  peerDependencies?: object;
}

describe("the types that are published", () => {
  it.each(["packages/browser", "packages/react", "packages/node", "packages/server", "reference-server"])(
    "of %s need no package that its installation does not bring",
    (folder) => {
      const manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8")) as Manifest;
      const { name, dependencies = {}, peerDependencies = {} } = manifest;
      const files = globSync(`${folder}/dist/**/*.d.{ts,cts}`, { cwd: root });
      // Examples in docblocks may use what the reader has installed.
      const code = files.map((file) => readFileSync(root + file, "utf8").replaceAll(/\/\*\*[^]*?\*\//g, ""));
      const needed = code.flatMap((text) =>
        [...text.matchAll(specifier)].map(([, wanted]) => packageOf(wanted!)),
      );
      const brought = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
      expect(files.length).toBeGreaterThan(0);
      expect([...new Set(needed)].filter((wanted) => !isBuiltin(wanted) && !brought.has(wanted))).toEqual([]);
    },
  );

  it("of packages/react and packages/browser are compiled strictly with the types of React 18", () => {
    // The compiler ends with an error for each mistake, and for each line that should have one and has none.
    const files = execFileSync("pnpm", ["exec", "tsc", "-p", "packages/react/react-18", "--listFiles"], {
      cwd: root,
      encoding: "utf8",
    });
    const versions = [...files.matchAll(/@types\+react@(\d+)\./g)].map(([, version]) => version);
    expect(new Set(versions)).toEqual(new Set(["18"]));
    expect(files).toContain("packages/react/dist/index.d.ts");
  });
});

/** The optional packages that an entry point may import; all others import none. */
const mayImport: Record<string, string[]> = {
  forwarder: ["@opentelemetry/api"],
  cli: ["@opentelemetry/api"],
};

describe("an entry point of packages/node", () => {
  const manifest = JSON.parse(readFileSync(`${root}packages/node/package.json`, "utf8")) as Manifest;
  const optional = Object.keys(manifest.peerDependencies!);
  const entries = globSync("packages/node/dist/*.{js,cjs}", { cwd: root })
    .map((path) => path.split("/").at(-1)!)
    .filter((name) => !name.startsWith("chunk-"));

  it("is looked at", () => expect(entries.length).toBeGreaterThanOrEqual(15));

  it.each(entries)("%s brings no optional package of another into a bundle", async (entry) => {
    const { metafile } = await build({
      entryPoints: [`${root}packages/node/dist/${entry}`],
      bundle: true,
      write: false,
      metafile: true,
      logLevel: "error",
      platform: "node",
      format: "esm",
      // What is bundled is what is published; what is not installed is named instead.
      packages: "external",
      tsconfigRaw: {},
    });
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    const brought = optional.filter((name) => imported.some((path) => packageOf(path) === name));
    expect(brought.filter((name) => !mayImport[entry.split(".")[0]!]?.includes(name))).toEqual([]);
  });
});
