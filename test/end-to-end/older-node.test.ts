import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { serverProgram } from "./server-program.ts";

const createProgram = fileURLToPath(new URL("../../packages/create-afterword/dist/cli.js", import.meta.url));

/** A Node of this machine that is older than those that the server supports. */
const olderNode = process.env["PATH"]!.split(delimiter)
  .map((folder) => join(folder, "node"))
  .filter(existsSync)
  .find((node) => /^v(1\d|2[01])\./.test(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout));
if (!olderNode) console.warn("skipped: no older Node to start the server with");

const run = (...words: string[]) => spawnSync(olderNode!, words, { encoding: "utf8", timeout: 30_000 });

describe.skipIf(!olderNode)("on an older Node", () => {
  it("create-afterword exits with 2 and says in one line which one to install", () => {
    const { status, stdout, stderr } = run(createProgram, "my-app");
    expect(stderr).toMatch(/^create-afterword needs Node 22\.18 or newer, and this is v\d+\S+: .+\n$/);
    expect([status, stdout]).toEqual([2, ""]);
  });

  it.each([
    [serverProgram, "serve"],
    [fileURLToPath(new URL("../../reference-server/dist/cli.js", import.meta.url)), "--port=0"],
  ])("%s exits with 2 and says the same", (...words) => {
    const { status, stderr } = run(...words);
    expect(stderr).toMatch(/^The Afterword server needs Node 22\.14 or newer/);
    expect(status).toBe(2);
  });
});
