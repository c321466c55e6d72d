import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bundleOnce } from "./bundle-once.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a program that is bundled for a run", () => {
  it("does not change when its sources do, and finds its libraries", async () => {
    const program = join(folder, "program.ts");
    const write = (word: string) =>
      writeFileSync(join(folder, "source.ts"), `export const word = "${word}";`);
    writeFileSync(program, `import "better-sqlite3"; import { word } from "./source.ts"; console.log(word);`);
    write("before");
    const file = await bundleOnce(program, "reference-server");
    write("after");
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
    expect([stdout.trim(), stderr]).toEqual(["before", ""]);
    expect(await bundleOnce(program, "reference-server")).not.toBe(file);
  });
});
