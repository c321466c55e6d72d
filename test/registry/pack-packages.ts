import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packs every package that is published, as built, into a folder; resolves to the tarballs. */
export async function packPackages(folder: string): Promise<string[]> {
  const manifests = globSync("{packages/*,reference-server}/package.json", { cwd: root });
  const published = manifests.filter((path) => !JSON.parse(readFileSync(join(root, path), "utf8")).private);
  const filters = published.flatMap((path) => ["--filter", `./${dirname(path)}`]);
  await promisify(execFile)("npx", ["-y", "pnpm@12", ...filters, "pack", "--pack-destination", folder], {
    cwd: root,
  });
  return globSync("*.tgz", { cwd: folder }).map((name) => join(folder, name));
}
