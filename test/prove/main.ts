import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { proofs, type Proof } from "./proofs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = "docs/evidence/last-proofs.md";
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

interface Proved {
  isFailed: boolean;
  /** `12 passed, 0 failed, 1 skipped`, or the last line of a program. */
  result: string;
  seconds: number;
}

/** Runs one proof. A run of vitest without a test proves nothing; the page shows where all were skipped. */
function prove({ command, environment }: Proof): Proved {
  const started = Date.now();
  const report = join(tmpdir(), `afterword-proof-${process.pid}.json`);
  const isVitest = command[0]!.endsWith("vitest.mjs");
  const reporting = isVitest ? ["--reporter=json", `--outputFile=${report}`] : [];
  const { status, stdout } = spawnSync(process.execPath, [...command, ...reporting], {
    cwd: root,
    env: { ...process.env, ...environment, NO_COLOR: "1", CI: "" },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  const isFailed = status !== 0;
  if (!isVitest) return { isFailed, result: stdout.trim().split("\n").at(-1)!, seconds };
  const counts = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
  const { numPassedTests = 0, numFailedTests, numPendingTests = 0 } = counts;
  const result = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
  return { isFailed: isFailed || numPassedTests + numPendingTests === 0, result, seconds };
}

const names = parseArgs({ options: { only: { type: "string" } } }).values.only?.split(",");
const changes = git("status", "--porcelain", "--", ".", `:!${page}`);
if (changes) throw new Error(`A proof is of a commit, and these files are not committed:\n${changes}`);

const rows: string[] = [];
for (const proof of proofs.filter(({ name }) => names?.includes(name) ?? true)) {
  console.log(`${proof.name}: ${proof.shows}`);
  const { isFailed, result, seconds } = prove(proof);
  console.log(`${isFailed ? "FAILED" : "passed"}: ${result}, ${seconds} s`);
  if (isFailed) process.exitCode = 1;
  rows.push(`| \`${proof.name}\` | ${proof.shows} | ${result.replaceAll("|", "\\|")} | ${seconds} s |`);
}

const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`;
if (!names && !process.exitCode)
  writeFileSync(
    join(root, page),
    `---
title: The last full run of the proofs
description: What pnpm prove found, with commit, date and machine.
---

# The last full run of the proofs

\`npx -y pnpm@12 prove\` wrote this page when none of the [proofs](proofs.md) had failed on commit \`${git("rev-parse", "--short=12", "HEAD")}\`, ${new Date().toISOString().slice(0, 10)}:
${machine}, Node ${process.versions.node}.

| proof | what it shows | result | took |
|---|---|---|---|
${rows.join("\n")}
`,
  );
