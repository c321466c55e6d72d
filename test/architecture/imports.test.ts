import { fileURLToPath } from "node:url";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { beforeAll, describe, expect, it } from "vitest";
import { importRules } from "./import-rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let result: ICruiseResult;

beforeAll(async () => {
  const { output } = await cruise(["packages", "reference-server", "test", "examples"], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: importRules },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/(dist|coverage)/" },
    includeOnly: undefined,
    outputType: "json",
  });
  result = JSON.parse(output as string) as ICruiseResult;
}, 60_000);

const violationsOf = (name: string) =>
  result.summary.violations
    .filter(({ rule }) => rule.name === name)
    .map(({ from, to }) => `${from} imports ${to}`);

describe("imports", () => {
  it.each(importRules.map((rule) => [rule.comment, rule.name]))("%s", (_, name) => {
    expect(violationsOf(name)).toEqual([]);
  });

  it("every rule is about files that exist", () => {
    const paths = result.modules.map(({ source }) => source);
    for (const { name, from } of importRules) {
      const pattern = new RegExp((from as { path: string }).path);
      expect(
        paths.some((path) => pattern.test(path)),
        name,
      ).toBe(true);
    }
  });
});
