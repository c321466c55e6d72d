import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { proofsPage } from "./page.ts";
import { prove } from "./prove.ts";
import type { Proof } from "./proofs.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "afterword-prove-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that leaves a mark when it runs, and fails as long as `fails` is in the folder's `mood`. */
const proof = (name: string): Proof => ({
  name,
  shows: `${name} holds`,
  command: [
    "-e",
    `const fs = require("node:fs"); fs.appendFileSync("ran", "${name} ");
     const mood = fs.readFileSync("mood", "utf8"); console.log("${name} looked"); process.exit(mood.includes("${name} fails") ? 1 : 0)`,
  ],
});

const proofs = [proof("first"), proof("second")];
const run = (commit: string) =>
  prove({ proofs, commit, folder: join(folder, "records"), root: folder, print: () => {} });
const ran = () => readFileSync(join(folder, "ran"), "utf8").trim();

describe("the proofs", () => {
  it("that have passed on a commit are not run again, one that failed is, and another commit is proved anew", async () => {
    appendFileSync(join(folder, "mood"), "second fails");
    const failed = await run("a1");
    expect(failed.map(({ isPassed }) => isPassed)).toEqual([true, false]);
    rmSync(join(folder, "mood"));
    appendFileSync(join(folder, "mood"), "all is well");
    const mended = await run("a1");
    expect(mended.map(({ isPassed, result }) => [isPassed, result])).toEqual([
      [true, "first looked"],
      [true, "second looked"],
    ]);
    expect(ran()).toBe("first second second");
    await run("b2");
    expect(ran()).toBe("first second second first second");
  });

  it("are listed on the page with what they show, their result, and the commit", async () => {
    appendFileSync(join(folder, "mood"), "all is well");
    const page = proofsPage(proofs, await run("0123456789abcdef"));
    expect(page).toContain("commit `0123456789ab`");
    expect(page).toMatch(/\| `second` \| second holds \| second looked \| \d+ s \|/);
  });

  it("fail when vitest runs no test", async () => {
    const empty: Proof = { name: "empty", shows: "", command: ["-e", "", "vitest.mjs"] };
    const [record] = await prove({ proofs: [empty], commit: "a1", folder, root: folder, print: () => {} });
    expect(record).toMatchObject({ isPassed: false, result: "no report of tests was written" });
  });
});
