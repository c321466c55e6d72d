import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from "@microsoft/api-extractor";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folderOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const packageFolder = folderOf("packages/node");
let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "afterword-api-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * By the package's folder. `@afterword/browser/types/*` needs no report: those files are written by hand, so that a change
 * of them is the report. The script tag's global has the commands of `Afterword`, which is in the report of `index`.
 */
const entryPointsOf = {
  "packages/browser": ["npm/index", "npm/headless", "npm/thumbs"],
  "packages/conformance": ["index"],
  "packages/node": [
    "index",
    "forwarder",
    "terminal",
    "ai-sdk",
    "openai-agents",
    "langgraph",
    "claude-agent-sdk",
  ],
  "packages/react": ["index", "ai-sdk", "assistant-ui"],
  "packages/server": ["index"],
  "reference-server": ["index"],
};
type PackageName = keyof typeof entryPointsOf;
const names = Object.keys(entryPointsOf) as PackageName[];
const entryPoints = names.flatMap((name) => entryPointsOf[name].map((one) => [name, one] as const));

const typesOf = (name: PackageName, entryPoint: string) => join(folderOf(name), "dist", `${entryPoint}.d.ts`);
/** The types of all packages, read once. */
let readTypes: CompilerState | undefined;

/** Every name, parameter and type of an entry point, as the built types have them. */
function reportOf(name: PackageName, entryPoint: string): string {
  const packageFolder = folderOf(name);
  const reportFileName = `${basename(entryPoint)}.api.md`;
  const types = typesOf(name, entryPoint);
  if (!existsSync(types)) throw new Error(`${types} is missing: run the build first.`);
  const configObject: IConfigFile = {
    projectFolder: packageFolder,
    newlineKind: "lf",
    mainEntryPointFilePath: types,
    compiler: {
      overrideTsconfig: {
        files: [types],
        compilerOptions: {
          moduleResolution: "bundler",
          module: "esnext",
          lib: ["es2024", "esnext.disposable", "dom"],
          skipLibCheck: true,
          types: ["node"],
        },
      },
    },
    apiReport: {
      enabled: true,
      reportFileName,
      reportFolder: folder,
      reportTempFolder: folder,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        "default": { logLevel: ExtractorLogLevel.None },
        "ae-forgotten-export": { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
      },
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
    },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, "package.json"),
  });
  const additionalEntryPoints = entryPoints.map(([name, entryPoint]) => typesOf(name, entryPoint));
  const compilerState = (readTypes ??= CompilerState.create(config, { additionalEntryPoints }));
  const problems: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error)
        problems.push(`${message.sourceFilePath}: ${message.text}`);
      message.handled = true;
    },
  });
  expect(problems).toEqual([]);
  return readFileSync(join(folder, reportFileName), "utf8").replaceAll("\r\n", "\n");
}

describe("the public API changes only on purpose; write the new one with `vitest -u`", () => {
  it("of every package that is published with types", () => {
    const manifests = globSync("{packages/*,reference-server}/package.json", { cwd: folderOf("") });
    const typed = manifests.filter((path) => {
      const { private: isPrivate, types } = JSON.parse(readFileSync(folderOf(path), "utf8"));
      return !isPrivate && types;
    });
    expect(typed.map((path) => dirname(path)).toSorted()).toEqual(names.toSorted());
  });

  it.each(entryPoints)("%s %s", { timeout: 60_000 }, async (name, entryPoint) => {
    const path = join(folderOf(name), "api", `${basename(entryPoint)}.api.md`);
    await expect(reportOf(name, entryPoint)).toMatchFileSnapshot(path);
  });
});

// Editors show it where the export is used.
it.each(globSync("{packages/*,reference-server}/api/*.md", { cwd: folderOf("") }))(
  "every export in %s has a docblock",
  (path) => {
    const report = readFileSync(folderOf(path), "utf8");
    const undocumented = report.matchAll(/^\/\/ @\w+ \(undocumented\)\n(export .*)/gm);
    expect(Array.from(undocumented, ([, line]) => line)).toEqual([]);
  },
);

/** A built file and every chunk that it loads. */
function loadedBy(file: string): string {
  const text = readFileSync(join(packageFolder, "dist", file), "utf8");
  const chunks = [...text.matchAll(/from "\.\/(chunk-[^"]+)"/g)].map(([, chunk]) => loadedBy(chunk!));
  return [text, ...chunks].join("\n");
}

describe("what is published stands on its own", () => {
  it("its types name no private package, and no schema library", () => {
    const types = globSync("dist/*.d.{ts,cts}", { cwd: packageFolder });
    expect(types.length).toBeGreaterThanOrEqual(6);
    const texts = types.map((path) => readFileSync(join(packageFolder, path), "utf8")).join("\n");
    expect(texts).not.toMatch(/from ['"](@afterword\/protocol|zod)/);
  });

  it("the client's entry point needs nothing of Node, so that it runs on Bun, Deno and at the edge", () => {
    const text = loadedBy("index.js");
    const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^."][^"]*)"/g)].map(([, name]) => name);
    // undici is loaded behind a proxy in Node alone, and left out of other bundles (test/runtimes/edge-worker).
    expect(new Set(imported)).toEqual(new Set(["@streamparser/json", "ky", "undici"]));
  });
});
