import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startQueue } from "./child-server.ts";
import { memoryLine, watchMemory, type MemoryRun } from "./resident-memory.ts";

// How far the resident memory of a forwarder's process grows while it drains a queue. Also to be run by itself:
// `node test/bench/forwarder-memory.ts 150000`, or with a part of a run's name behind it.

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Runs the command against a queue that is written as it is read. */
async function drain(rows: number, commandFor: (url: string) => string[]): Promise<MemoryRun> {
  const queue = await startQueue(rows);
  const acknowledged = async () => {
    const response = await fetch(`${queue.ready.url}/acknowledged`);
    return ((await response.json()) as { acknowledged: number }).acknowledged;
  };
  try {
    const child = spawn(process.execPath, commandFor(queue.ready.url), {
      env: { ...process.env, AFTERWORD_SECRET_KEY: "aw_sk_bench_0123456789abcdef" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const run = await watchMemory(child, rows, acknowledged);
    const done = await acknowledged();
    if (done !== rows) throw new Error(`${done} of ${rows} rows were acknowledged.`);
    return run;
  } finally {
    await queue.stop();
  }
}

/** Three processes: the program, and a user's own with and without the flag that the program sets for itself. */
export async function measureMemory(
  rows: number,
  print: (line: string) => void,
  only = "",
): Promise<[name: string, run: MemoryRun][]> {
  const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
  const sink = ["--sink", "jsonl", "--out", join(folder, "scores.jsonl")];
  const program = (url: string) => [
    at("packages/node/dist/cli.js"),
    "forward",
    "--once",
    "--base-url",
    url,
    ...sink,
  ];
  const library = (url: string) => [at("test/bench/forwarder-library.ts"), url];
  const smallLibrary = (url: string) => ["--optimize-for-size", ...library(url)];
  const runs: [name: string, commandFor: (url: string) => string[]][] = [
    ["the program, jsonl sink", program],
    ["a library, flag of the program, instant sink", smallLibrary],
    ["a library, no flags, instant sink", library],
  ];
  const measured: [name: string, run: MemoryRun][] = [];
  try {
    for (const [name, commandFor] of runs.filter(([name]) => name.includes(only))) {
      const run = await drain(rows, commandFor);
      print(memoryLine(name, rows, run));
      measured.push([name, run]);
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [, , rows = "150000", only] = process.argv;
  await measureMemory(Number(rows), (line) => void process.stdout.write(`${line}\n`), only);
}
