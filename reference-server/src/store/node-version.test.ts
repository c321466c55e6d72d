import { describe, expect, it, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { nodeVersionProblem } from "./node-version.ts";
import { openStore } from "./open-store.ts";

describe("the version of Node", () => {
  it.each([
    ["v24.1.0", true],
    ["v22.14.0", true],
    ["v22.13.1", false],
    ["v22.12.0", false],
    ["v22.9.1", false],
    ["v20.19.0", false],
    ["v100.0.0", true],
  ])("%s is new enough: %s", (version, isNew) => {
    expect(nodeVersionProblem(version) === undefined).toBe(isNew);
  });

  it("is the one in the package's engines", () => {
    const oldest = manifest.engines.node.replace(">=", "");
    expect(nodeVersionProblem("v20.0.0")).toContain(`Node ${oldest} or newer`);
  });

  it.each([":memory:", "postgres://localhost/afterword"])(
    "is checked before a driver loads for %s",
    async (database) => {
      vi.stubGlobal("process", Object.create(process, { version: { value: "v20.20.2" } }));
      const opening = openStore(database).finally(() => vi.unstubAllGlobals());
      await expect(opening).rejects.toThrow("needs Node 22.14 or newer; this is v20.20.2.");
    },
  );
});
