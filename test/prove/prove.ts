import { spawn } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Proof } from "./proofs.ts";

export interface ProofRecord {
  name: string;
  /** Of the sources that were proved. */
  commit: string;
  startedAt: string;
  seconds: number;
  /** `not run`: all its tests were skipped, since what they need is not on this machine. */
  outcome: "passed" | "failed" | "not run";
  /** `12 passed, 0 failed, 1 skipped`, or the last line of a program. */
  result: string;
}

export interface Order {
  proofs: Proof[];
  commit: string;
  /** Where records and the outputs of the proofs are kept. */
  folder: string;
  /** Where the commands are run. */
  root: string;
  print: (line: string) => void;
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

/** What is known of a proof, of whichever commit. */
export function readRecord(folder: string, name: string): ProofRecord | undefined {
  const path = join(folder, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as ProofRecord) : undefined;
}

/** Runs a proof with its output in a file, and returns its exit code and the last line of its standard output. */
function run({ command, environment }: Proof, root: string, output: string) {
  const child = spawn(process.execPath, command, {
    cwd: root,
    // With CI set, the report would go where test/vitest.config.ts says.
    env: { ...process.env, ...environment, NO_COLOR: "1", CI: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const file = createWriteStream(output);
  let end = "";
  child.stdout.on("data", (chunk: Buffer) => {
    file.write(chunk);
    end = (end + chunk.toString()).slice(-2000);
  });
  child.stderr.on("data", (chunk: Buffer) => file.write(chunk));
  return new Promise<{ code: number | null; lastLine: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      file.end(() => resolve({ code, lastLine: end.trim().split("\n").at(-1) ?? "" })),
    );
  });
}

/** A run of vitest in which no test has run proves nothing. */
function countTests(path: string, code: number | null): Pick<ProofRecord, "outcome" | "result"> {
  if (!existsSync(path)) return { outcome: "failed", result: "no report of tests was written" };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(path, "utf8"),
  ) as Report;
  const skipped = numPendingTests + numTodoTests;
  const ran = numPassedTests > 0 ? "passed" : "not run";
  return {
    outcome: code === 0 && numPassedTests + skipped > 0 ? ran : "failed",
    result: `${numPassedTests} passed, ${numFailedTests} failed, ${skipped} skipped`,
  };
}

async function proveOne(proof: Proof, { commit, folder, root }: Order): Promise<ProofRecord> {
  const started = Date.now();
  const report = join(folder, `${proof.name}.tests.json`);
  rmSync(report, { force: true });
  const isVitest = proof.command.some((part) => part.endsWith("vitest.mjs"));
  const reporting = ["--reporter", "default", "--reporter", "json", "--outputFile.json", report];
  const command = isVitest ? [...proof.command, ...reporting] : proof.command;
  const { code, lastLine } = await run({ ...proof, command }, root, join(folder, `${proof.name}.log`));
  const ofProgram = { outcome: code === 0 ? "passed" : "failed", result: lastLine } as const;
  return {
    name: proof.name,
    commit,
    startedAt: new Date(started).toISOString(),
    seconds: Math.round((Date.now() - started) / 1000),
    ...(isVitest ? countTests(report, code) : ofProgram),
  };
}

/**
 * Runs the proofs one after the other. Each is recorded when it has ended, so that after a stop, or with a proof
 * mended, the next call runs only what has not passed on this commit. Returns the records of all.
 */
export async function prove(order: Order): Promise<ProofRecord[]> {
  const { proofs, commit, folder, print } = order;
  mkdirSync(folder, { recursive: true });
  const records: ProofRecord[] = [];
  for (const proof of proofs) {
    const known = readRecord(folder, proof.name);
    if (known?.commit === commit && known.outcome === "passed") {
      print(`has passed  ${proof.name}: ${known.result}`);
      records.push(known);
      continue;
    }
    print(`runs        ${proof.name}: ${proof.shows}`);
    const record = await proveOne(proof, order);
    writeFileSync(join(folder, `${proof.name}.json`), `${JSON.stringify(record, null, 2)}\n`);
    const where = record.outcome === "passed" ? "" : `; see ${join(folder, `${proof.name}.log`)}`;
    print(`${record.outcome.padEnd(11)} ${proof.name}: ${record.result}, ${record.seconds} s${where}`);
    records.push(record);
  }
  return records;
}
