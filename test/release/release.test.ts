import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { canaries } from "../canaries.ts";
import { packPackages } from "../registry/pack-packages.ts";
import { billOfMaterials, checkBill, type BillOfMaterials } from "./bill-of-materials.ts";
import { checkContents, type Packed } from "./check-contents.ts";
import { checkTypes } from "./check-types.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = fileURLToPath(new URL("out", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-packed-"));
afterAll(() => rmSync(folder, { recursive: true }));

const runCheck = () =>
  spawnSync(process.execPath, [fileURLToPath(new URL("check.ts", import.meta.url))], { encoding: "utf8" });

function unpack(tarball: string, to: string): Packed {
  mkdirSync(to, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", to, "--strip-components=1"]);
  return { source: "packages/node", folder: to };
}

beforeAll(() => packPackages(folder));

describe("a package is refused with one line that names the file and says what to do", () => {
  let planted: Packed;
  const at = (file: string) => join(planted.folder, file);
  const change = (file: string, edit: (text: string) => string) =>
    writeFileSync(at(file), edit(readFileSync(at(file), "utf8")));

  it.each<[title: string, plant: () => void, line: string | RegExp]>([
    [
      "for a test in it",
      () => writeFileSync(at("dist/index.test.js"), ""),
      '@afterword/node: dist/index.test.js does not belong into a package: leave it out of "files" or "exports" in packages/node/package.json.',
    ],
    [
      "without its license",
      () => rmSync(at("LICENSE")),
      /^@afterword\/node: LICENSE is missing: put it into packages\/node/,
    ],
    [
      "with a license that is cut short",
      () => change("LICENSE", (text) => text.slice(0, 500)),
      /LICENSE is not the text of the MIT license: copy/,
    ],
    [
      "under another license",
      () => change("package.json", (text) => text.replace('"MIT"', '"GPL-3.0"')),
      /package.json has the license GPL-3.0: write MIT/,
    ],
    [
      "with an export that leads nowhere",
      () => rmSync(at("dist/terminal.cjs")),
      /package.json leads to dist\/terminal.cjs, which is missing: build/,
    ],
    [
      "with a dead link",
      () => change("README.md", (text) => `${text}\n[guide](../../docs/install.md)\n`),
      "@afterword/node: README.md leads to ../../docs/install.md, which is not in the package: pack that file or name it without a link.",
    ],
    [
      "without a source map that a file names",
      () => rmSync(at("dist/ai-sdk.cjs.map")),
      /dist\/ai-sdk.cjs names the source map dist\/ai-sdk.cjs.map, which is missing: pack it/,
    ],
    [
      "with a path of one machine in a source map",
      () => change("dist/ai-sdk.js.map", (text) => text.replace('"sources":["', '"sources":["/home/ada/')),
      /dist\/ai-sdk.js.map names \/home\/ada\/.*, a path of one machine: build it with relative sources/,
    ],
    [
      "with a test in a source map",
      () =>
        change("dist/ai-sdk.js.map", (text) =>
          text
            .replace('"sources":["', '"sources":["../src/a.test.ts","')
            .replace('"sourcesContent":["', '"sourcesContent":["","'),
        ),
      /dist\/ai-sdk.js.map names ..\/src\/a.test.ts: leave tests and fixtures out/,
    ],
    [
      "with a secret key",
      () =>
        change("dist/ai-sdk.js.map", (text) =>
          text.replace('"sourcesContent":["', `$&// aw_sk_${"0a".repeat(24)} `),
        ),
      /dist\/ai-sdk.js.map contains "aw_sk_0a0a…": keep keys/,
    ],
    [
      "with a token of a registry",
      () => change("README.md", (text) => `${text}\n//registry.example/:_authToken=npm_${"a1".repeat(18)}\n`),
      /README.md contains "npm_a1a1a1…": keep keys/,
    ],
    [
      "with what a test has sown",
      () => change("dist/index.js", (text) => `// ${canaries.text}\n${text}`),
      /dist\/index.js contains "canary\d+…": keep keys, data of tests/,
    ],
    [
      "with a path of one machine in its code",
      () => change("dist/index.js", (text) => `// ${root}packages\n${text}`),
      /dist\/index.js contains ".*…": keep keys, data of tests and paths/,
    ],
  ])("%s", (title, plant, line) => {
    planted = unpack(
      globSync(join(folder, "afterword-node-*.tgz"))[0]!,
      join(folder, title.replaceAll(" ", "-")),
    );
    expect(checkContents(planted)).toEqual([]);
    plant();
    const [found, ...more] = checkContents(planted);
    expect(found).toMatch(line);
    expect(more).toEqual([]);
  });

  it("with types that do not fit how it is imported", async () => {
    planted = unpack(globSync(join(folder, "afterword-node-*.tgz"))[0]!, join(folder, "types/package"));
    change("package.json", (text) =>
      text.replace('"types": "./dist/index.d.cts"', '"types": "./dist/index.d.ts"'),
    );
    const tarball = join(folder, "types/planted.tgz");
    execFileSync("tar", ["-czf", tarball, "-C", join(folder, "types"), "package"]);
    const faults = await checkTypes(tarball, planted);
    expect(faults).toContainEqual(
      expect.stringMatching(/^@afterword\/node: attw refuses it, correct "exports" .*./),
    );
    expect(faults.filter((fault) => fault.includes("\n"))).toEqual([]);
  });
});

describe("a bill of materials", () => {
  let server: Packed;
  let bill: BillOfMaterials;
  beforeAll(async () => {
    const [tarball] = globSync(join(folder, "afterword-server-*.tgz"));
    server = { ...unpack(tarball!, join(folder, "bill")), source: "packages/server" };
    bill = await billOfMaterials(server);
  });

  it("lists what an installation brings and what the bundle contains, and no optional peer", () => {
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["better-sqlite3", "pg-protocol", "jstat"]));
    expect(names).not.toContain("vitest");
    expect(names).not.toContain("msw");
  });

  it.each<[title: string, edit: (bill: BillOfMaterials) => BillOfMaterials, line: RegExp]>([
    [
      "that lacks a dependency",
      (bill) => ({ ...bill, components: bill.components.filter(({ name }) => name !== "hono") }),
      /lacks hono@.*: run `pnpm install`/,
    ],
    [
      "with a license that asks for more than to be handed on",
      (bill) => ({
        ...bill,
        components: bill.components.map((one) =>
          one.name === "hono" ? { ...one, licenses: [{ license: { id: "AGPL-3.0-only" } }] } : one,
        ),
      }),
      /hono@.* has the license AGPL-3.0-only: replace it, or allow that/,
    ],
    ["that is not CycloneDX", (bill) => ({ ...bill, bomFormat: "other" }), /is not CycloneDX 1.6/],
  ])("%s is refused", async (_, edit, line) => {
    expect(await checkBill(bill, server)).toEqual([]);
    expect(await checkBill(edit(bill), server)).toEqual([expect.stringMatching(line)]);
  });
});

describe("release:check", () => {
  it("ends with 1 and one line, and leaves nothing, if a test comes into a package", () => {
    const planted = join(root, "packages/react/dist/planted.test.js");
    onTestFinished(() => rmSync(planted));
    writeFileSync(planted, "");
    const { status, stderr } = runCheck();
    expect(stderr).toBe(
      '@afterword/react: dist/planted.test.js does not belong into a package: leave it out of "files" or "exports" in packages/react/package.json.\n',
    );
    expect(status).toBe(1);
    expect(existsSync(out)).toBe(false);
  });

  it("accepts the packages as they are built, and leaves what a release publishes", () => {
    const { status, stdout, stderr } = runCheck();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    for (const manager of ["npm", "pnpm", "bun", "yarn"])
      expect(stdout).toContain(`the first example of each README with commands by ${manager}`);
    const tarballs = globSync("*.tgz", { cwd: out }).map((path) => basename(path, ".tgz"));
    expect(tarballs.length).toBeGreaterThanOrEqual(4);
    expect(globSync("*.cdx.json", { cwd: out })).toHaveLength(tarballs.length);
    const integrity = JSON.parse(readFileSync(join(out, "script-tag/integrity.json"), "utf8"));
    expect(Object.keys(integrity)).toContain("afterword.js");
    for (const [file, hash] of Object.entries(integrity)) {
      const bytes = readFileSync(join(out, "script-tag", file));
      expect(`sha384-${createHash("sha384").update(bytes).digest("base64")}`).toBe(hash);
    }
  });
});

describe("the next version", () => {
  it("is one for all packages, and has the sentences of its changesets in their changelogs", () => {
    const copy = join(folder, "workspace");
    const paths = [
      "{packages/*,reference-server}/{package.json,CHANGELOG.md}",
      "package.json",
      "pnpm-workspace.yaml",
      ".changeset/*",
    ];
    for (const path of globSync(paths, { cwd: root })) cpSync(join(root, path), join(copy, path));
    writeFileSync(
      join(copy, ".changeset/planted.md"),
      '---\n"@afterword/react": minor\n---\n\nThumbs have a third button.\n',
    );
    execFileSync("git", ["init", "--quiet"], { cwd: copy });
    execFileSync(fileURLToPath(new URL("node_modules/.bin/changeset", import.meta.url)), ["version"], {
      cwd: copy,
    });
    const versions = globSync("{packages/*,reference-server}/package.json", { cwd: copy }).map(
      (path) => JSON.parse(readFileSync(join(copy, path), "utf8")).version,
    );
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).toMatch(/^0\.[2-9]/);
    expect(readFileSync(join(copy, "packages/react/CHANGELOG.md"), "utf8")).toMatch(
      /^# @afterword\/react\n\n## 0\.\d+\.0\n\n### Minor Changes\n\n- (\w+: )?Thumbs have a third button\.\n/,
    );
  });
});
