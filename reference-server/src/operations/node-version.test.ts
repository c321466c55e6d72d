import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { isNodeSupported, oldestNode } from "./node-version.ts";

describe("the version of Node", () => {
  it.each([
    ["v24.1.0", true],
    ["v22.12.0", true],
    ["v22.9.1", false],
    ["v20.19.0", false],
    ["v100.0.0", true],
  ])("%s is new enough: %s", (version, isNew) => {
    expect(isNodeSupported(version)).toBe(isNew);
  });

  it("is the one in the package's engines", () => {
    expect(manifest.engines.node).toBe(`>=${oldestNode}`);
  });
});
