import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { runInShell } from "./shell.fixture.ts";

describe("afterword", () => {
  it.each(["--version", "-V"])("%s prints the version and does nothing else", async (flag) => {
    const run = await runInShell([flag]);
    expect(run).toMatchObject({ exitCode: 0, output: "1.2.3-test\n", errors: "" });
  });

  it("has the version of its package", () => {
    const program = fileURLToPath(new URL("../cli.ts", import.meta.url));
    const output = execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" });
    expect(output).toBe(`${manifest.version}\n`);
  });
});
