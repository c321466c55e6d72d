import { globSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
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
  it.each(["packages/browser", "packages/node", "reference-server"])(
    "of %s need no package that its installation does not bring",
    (folder) => {
      const manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8")) as Manifest;
      const { name, dependencies = {}, peerDependencies = {} } = manifest;
      const files = globSync(`${folder}/dist/**/*.d.{ts,cts}`, { cwd: root });
      const needed = files.flatMap((file) =>
        [...readFileSync(root + file, "utf8").matchAll(specifier)].map(([, wanted]) => packageOf(wanted!)),
      );
      const brought = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
      expect(files.length).toBeGreaterThan(0);
      expect([...new Set(needed)].filter((wanted) => !isBuiltin(wanted) && !brought.has(wanted))).toEqual([]);
    },
  );
});

/** Where a README leads: links, and addresses of pictures. */
const target = /\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g;

describe("the tarball", () => {
  it.each(["packages/browser", "packages/node", "reference-server"])(
    "of %s holds its license, and whatever its README leads to",
    (folder) => {
      const listed = execFileSync("pnpm", ["pack", "--dry-run", "--json"], {
        cwd: root + folder,
        encoding: "utf8",
      });
      const { files } = JSON.parse(listed) as { files: { path: string }[] };
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
      // Code is no link, though it may look like one.
      const readme = readFileSync(`${root}${folder}/README.md`, "utf8").replaceAll(/```[\s\S]*?```/g, "");
      const targets = [...readme.matchAll(target)].map(([, link, source]) => (link ?? source)!);
      const local = targets.filter((one) => !/^(https?:|#)/.test(one)).map((one) => one.replace(/#.*/, ""));
      expect(local.filter((one) => !paths.includes(one))).toEqual([]);
    },
  );
});
