import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from "@microsoft/api-extractor";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const packageFolder = fileURLToPath(new URL("../../packages/node", import.meta.url));
let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "afterword-api-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every name, parameter and type behind a door, as the built types have them. */
function reportOf(door: string): string {
  const types = join(packageFolder, "dist", `${door}.d.ts`);
  if (!existsSync(types)) throw new Error(`${types} is missing: run the build first.`);
  const configObject: IConfigFile = {
    projectFolder: packageFolder,
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
      reportFileName: `${door}.api.md`,
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
  const problems: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error) problems.push(`${message.sourceFilePath}: ${message.text}`);
      message.handled = true;
    },
  });
  expect(problems).toEqual([]);
  return readFileSync(join(folder, `${door}.api.md`), "utf8");
}

describe("the public API of the node package changes only on purpose; write the new one with `vitest -u`", () => {
  it.each(["index", "forwarder", "terminal"])("%s", { timeout: 60_000 }, async (door) => {
    await expect(reportOf(door)).toMatchFileSnapshot(join(packageFolder, "api", `${door}.api.md`));
  });
});
