import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { proofsPage } from "./page.ts";
import { prove } from "./prove.ts";
import { type Proof } from "./proofs.ts";

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
    expect(failed.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
    rmSync(join(folder, "mood"));
    appendFileSync(join(folder, "mood"), "all is well");
    const mended = await run("a1");
    expect(mended.map(({ outcome, result }) => [outcome, result])).toEqual([
      ["passed", "first looked"],
      ["passed", "second looked"],
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

  /** Writes the report of a run of vitest, where the arguments say. */
  const reporting = (report: object): Proof => ({
    name: "tests",
    shows: "",
    command: [
      "-e",
      `require("node:fs").writeFileSync(process.argv.at(-1), ${JSON.stringify(JSON.stringify(report))})`,
      "vitest.mjs",
    ],
  });
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };

  it.each([
    ["fail without a report", { ...reporting({}), command: ["-e", "", "vitest.mjs"] }, "failed"],
    ["fail without a test", reporting(none), "failed"],
    ["are not run where all tests are skipped", reporting({ ...none, numPendingTests: 3 }), "not run"],
    ["pass where some are", reporting({ ...none, numPassedTests: 1, numPendingTests: 3 }), "passed"],
  ])("of vitest %s", async (_, tests, outcome) => {
    const [record] = await prove({ proofs: [tests], commit: "a1", folder, root: folder, print: () => {} });
    expect(record!.outcome).toBe(outcome);
  });
});
