import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { leaksIn } from "../canaries.ts";

/** What is in a tarball, unpacked. */
export interface Packed {
  /** Of the package, from the root of the repository. */
  source: string;
  /** Where it is unpacked. */
  folder: string;
}

type Check = (packed: Packed, files: readonly string[]) => string[];

const read = ({ folder }: Packed, file: string) => readFileSync(join(folder, file), "utf8");

const needed: Check = ({ source }, files) =>
  ["LICENSE", "README.md", "CHANGELOG.md"]
    .filter((file) => !files.includes(file))
    .map(
      (file) => `${file} is missing: put it into ${source} and, but for README and LICENSE, into its "files"`,
    );

const license: Check = (packed, files) => {
  const { license } = JSON.parse(read(packed, "package.json"));
  if (license !== "MIT") return [`package.json has the license ${license}: write MIT, as in LICENSE`];
  const isWhole =
    files.includes("LICENSE") &&
    /^MIT License\n[\s\S]*THE SOFTWARE IS PROVIDED/.test(read(packed, "LICENSE"));
  return isWhole || !files.includes("LICENSE")
    ? []
    : ["LICENSE is not the text of the MIT license: copy that of the root"];
};

/** Sources come with source maps; tests, fixtures and configuration are of no use to users. */
const foreign =
  /\.(test|spec|suite|fixture|snap)\b|(^|\/)(tests?|fixtures|src|coverage|node_modules)\/|tsconfig|tsup\.config|\.(env|log|db|pem|key|tgz)$/;

const foreignFiles: Check = ({ source }, files) =>
  files
    // Apps that create-afterword writes have sources of their own.
    .filter((file) => foreign.test(file) && !file.startsWith("dist/templates/"))
    .map(
      (file) =>
        `${file} does not belong into a package: leave it out of "files" or "exports" in ${source}/package.json`,
    );

const markdownTarget = /\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g;

/** Code is no link, though it may look like one. */
const links: Check = (packed, files) =>
  files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const text = read(packed, file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
      const targets = [...text.matchAll(markdownTarget)].map(([, link, source]) => (link ?? source)!);
      return targets
        .filter((target) => !/^([a-z]+:|#)/.test(target))
        .filter((target) => !existsSync(join(packed.folder, dirname(file), target.replace(/#.*/, ""))))
        .map(
          (target) =>
            `${file} leads to ${target}, which is not in the package: pack that file or name it without a link`,
        );
    });

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Keys and tokens, what tests sow, and paths of the machine that built it. Logs get the beginning of the first alone. */
const leaks: Check = (packed, files) =>
  files.flatMap((file) => {
    const text = read(packed, file);
    const [leak] = [...leaksIn(text), ...(text.includes(root) ? [root] : [])];
    return leak
      ? [`${file} contains "${leak.slice(0, 10)}…": keep keys, data of tests and paths out of what is built`]
      : [];
  });

/** A map that a debugger cannot use, or one with the path of a test or of the machine that built it. */
function faultOfMap(packed: Packed, file: string): string | undefined {
  const { sources, sourcesContent } = JSON.parse(read(packed, file)) as Record<string, unknown[] | undefined>;
  if (sourcesContent?.length !== sources?.length || sourcesContent?.some((text) => typeof text !== "string"))
    return "lacks the text of its sources: build it with sourcesContent";
  const test = sources?.find((path) => /\.(test|suite|fixture)\.|(^|\/)(test|fixtures)\//.test(String(path)));
  if (test) return `names ${test}: leave tests and fixtures out of what is built`;
  const absolute = sources?.find((path) => /^(\/|[A-Z]:|file:)/.test(String(path)));
  return absolute ? `names ${absolute}, a path of one machine: build it with relative sources` : undefined;
}

const sourceMaps: Check = (packed, files) => {
  const maps = files.filter((file) => file.endsWith(".map"));
  const named = files
    .filter((file) => /\.[cm]?js$/.test(file))
    .flatMap((file) => {
      const map = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(read(packed, file))?.[1];
      return map && !map.startsWith("data:") ? [{ file, map: join(dirname(file), map) }] : [];
    });
  const missing = named
    .filter(({ map }) => !files.includes(map))
    .map(
      ({ file, map }) =>
        `${file} names the source map ${map}, which is missing: pack it, or build without source maps`,
    );
  const faults = maps.flatMap((map) => {
    if (!named.some((one) => one.map === map) && files.includes(map.replace(/\.map$/, "")))
      return [`${map} is named by no file: leave it out of "files"`];
    return faultOfMap(packed, map) ? [`${map} ${faultOfMap(packed, map)}`] : [];
  });
  return [...missing, ...faults];
};

/** Every file that `exports`, `bin`, `types`, `main` and `module` lead to. */
const entryPoints: Check = (packed, files) => {
  const { exports, bin, types, main, module } = JSON.parse(read(packed, "package.json"));
  const pathsIn = (value: unknown): string[] =>
    typeof value === "string" ? [value] : Object.values((value ?? {}) as object).flatMap(pathsIn);
  return [exports, bin, types, main, module]
    .flatMap(pathsIn)
    .map((path) => relative(".", path))
    .filter((path) =>
      path.includes("*") ? !files.some((file) => file.startsWith(dirname(path))) : !files.includes(path),
    )
    .map(
      (path) =>
        `package.json leads to ${path}, which is missing: build the package, or correct "exports", "bin" or "types"`,
    );
};

const checks: readonly Check[] = [needed, license, foreignFiles, links, leaks, sourceMaps, entryPoints];

/** One line for each fault: the package, the file, and what to do. */
export function checkContents(packed: Packed): string[] {
  const { name } = JSON.parse(read(packed, "package.json"));
  const all = globSync("**/*", { cwd: packed.folder });
  const files = all.filter((file) => statSync(join(packed.folder, file)).isFile());
  return [...new Set(checks.flatMap((check) => check(packed, files)))].map((fault) => `${name}: ${fault}.`);
}
