import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { proofsPage } from "./page.ts";
import { proofs } from "./proofs.ts";
import { prove } from "./prove.ts";

const usage =
  "Usage: prove [--only NAME,…]. Without flags it runs each proof that has not passed on this commit.";
const root = fileURLToPath(new URL("../..", import.meta.url));
const page = "docs/evidence/last-proofs.md";
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function chosenProofs() {
  let only: string | undefined;
  try {
    only = parseArgs({ options: { only: { type: "string" } }, strict: true }).values.only;
  } catch (error) {
    fail(`${(error as Error).message.split("\n")[0]} ${usage}`);
  }
  if (only === undefined) return proofs;
  const names = only.split(",");
  const unknown = names.find((name) => !proofs.some((proof) => proof.name === name));
  if (unknown !== undefined)
    fail(`There is no proof ${unknown}. The proofs are: ${proofs.map(({ name }) => name).join(", ")}.`);
  return proofs.filter(({ name }) => names.includes(name));
}

const chosen = chosenProofs();
const changes = git("status", "--porcelain", "--", ".", `:!${page}`);
if (changes)
  fail(
    `A proof is of a commit, and these files are not committed:\n${changes}\nCommit them, or put them away.`,
  );

const records = await prove({
  proofs: chosen,
  commit: git("rev-parse", "HEAD"),
  folder: join(root, "coverage/proofs"),
  root,
  print: (line) => console.log(line),
});
const failed = records.filter(({ outcome }) => outcome === "failed");
if (failed.length > 0) {
  console.log(
    `${failed.length} of ${records.length} proofs failed: ${failed.map(({ name }) => name).join(", ")}.`,
  );
  process.exitCode = 1;
} else if (chosen.length === proofs.length) {
  writeFileSync(join(root, page), proofsPage(proofs, records));
  console.log(`No proof has failed; ${page} lists what came of each.`);
}
