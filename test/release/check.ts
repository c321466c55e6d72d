// What a release is held against before anything leaves this machine, and what it is made of: run by `pnpm release:check` after
// a build. The packed packages, their bills of materials and the files of the script tag are in `test/release/out`, but only if
// every check has passed.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackages } from "../registry/pack-packages.ts";
import { startRegistry } from "../registry/start-registry.ts";
import { billOfMaterials, checkBill } from "./bill-of-materials.ts";
import { checkContents, type Packed } from "./check-contents.ts";
import { checkTypes } from "./check-types.ts";
import { installing, packageManagers } from "./package-managers.ts";
import {
  finish,
  runConformanceExample,
  runCreateExample,
  runNodeExample,
  startDev,
  type Project,
} from "./run-first-examples.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = fileURLToPath(new URL("out", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-release-"));
const ready = join(folder, "out");

const say = (line: string) => console.log(line);

/** Ends the check with one line for each fault. */
class Faults extends Error {}

function unpacked(tarball: string): Packed {
  const to = tarball.replace(/\.tgz$/, "");
  mkdirSync(to);
  execFileSync("tar", ["-xzf", tarball, "-C", to, "--strip-components=1"]);
  const { name } = JSON.parse(readFileSync(join(to, "package.json"), "utf8"));
  const manifests = globSync("{packages/*,reference-server}/package.json", { cwd: root });
  const isIts = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")).name === name;
  return { source: dirname(manifests.find(isIts)!), folder: to };
}

async function checkPacked(tarballs: readonly string[]): Promise<void> {
  const faults: string[] = [];
  for (const tarball of tarballs) {
    const packed = unpacked(tarball);
    const bill = await billOfMaterials(packed);
    faults.push(
      ...checkContents(packed),
      ...(await checkTypes(tarball, packed)),
      ...(await checkBill(bill, packed)),
    );
    writeFileSync(tarball.replace(/\.tgz$/, ".cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`);
    say(
      `checked  ${tarball.split("/").at(-1)}, with ${bill.components.length} packages in its bill of materials`,
    );
  }
  if (faults.length > 0) throw new Faults(faults.join("\n"));
}

async function tryInstalled(tarballs: readonly string[]): Promise<void> {
  await using registry = await startRegistry();
  await registry.publish(tarballs);
  const names = tarballs.map((tarball) => unpackedName(tarball));
  for (const manager of packageManagers) {
    const since = Date.now();
    const project: Project = {
      manager,
      folder: join(folder, manager.name),
      environment: installing(registry.url, join(folder, "caches")),
    };
    mkdirSync(project.folder);
    writeFileSync(join(project.folder, "package.json"), '{ "private": true }\n');
    await finish(project, manager.install([...names, "react", "react-dom"]));
    const { known, stop } = await startDev(project);
    try {
      await runNodeExample(project, known);
      await runConformanceExample(project);
      await runCreateExample(project, known);
    } finally {
      await stop();
    }
    say(
      `ran      the first example of each README with commands by ${manager.name}, in ${Math.round((Date.now() - since) / 1000)} s`,
    );
  }
}

const unpackedName = (tarball: string) =>
  JSON.parse(readFileSync(join(tarball.replace(/\.tgz$/, ""), "package.json"), "utf8")).name as string;

/** The files that a page loads by a script tag, with their integrity hashes. */
function addScriptTagFiles(): void {
  cpSync(join(root, "packages/browser/dist"), join(ready, "script-tag"), {
    recursive: true,
    filter: (path) => !/\/dist\/(npm|vectors)$/.test(path),
  });
}

try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(ready);
  const tarballs = await packPackages(ready);
  await checkPacked(tarballs);
  await tryInstalled(tarballs);
  for (const tarball of tarballs) rmSync(tarball.replace(/\.tgz$/, ""), { recursive: true });
  addScriptTagFiles();
  cpSync(ready, `${out}.part`, { recursive: true });
  renameSync(`${out}.part`, out);
  say("ready    test/release/out");
} catch (error) {
  process.exitCode = 1;
  console.error(
    error instanceof Faults ? error.message : `release:check failed: ${(error as Error).message}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
