import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf, residentMegabytesOf, startQueue } from "./child-server.ts";

// How far the resident memory of a forwarder's process grows while it drains a queue. Also to be run by itself:
// `node test/bench/forwarder-memory.ts 150000`.

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const settled = 10_000;
const sampleEveryInMs = 50;

interface MemoryRun {
  perSecond: number;
  cpuMicrosecondsPerRow: number;
  atSettledInMegabytes: number;
  grownInMegabytes: number;
}

/** Runs the command against a queue that is written as it is read. */
async function drain(rows: number, commandFor: (url: string) => string[]): Promise<MemoryRun> {
  const queue = await startQueue(rows);
  const acknowledged = async () => {
    const response = await fetch(`${queue.ready.url}/acknowledged`);
    return ((await response.json()) as { acknowledged: number }).acknowledged;
  };
  const startedAt = performance.now();
  const env = { ...process.env, AFTERWORD_SECRET_KEY: "aw_sk_bench_0123456789abcdef" };
  const child = spawn(process.execPath, commandFor(queue.ready.url), {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  let atSettledInMegabytes: number | undefined;
  let largest = 0;
  let cpuSeconds = 0;
  while (child.exitCode === null) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, sampleEveryInMs))]);
    if (child.exitCode !== null) break;
    cpuSeconds = cpuSecondsOf(child.pid!);
    const resident = residentMegabytesOf(child.pid!);
    if (atSettledInMegabytes === undefined && (await acknowledged()) >= settled)
      atSettledInMegabytes = resident;
    if (atSettledInMegabytes !== undefined) largest = Math.max(largest, resident);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const done = await acknowledged();
  await queue.stop();
  if (child.exitCode !== 0 || done !== rows) throw new Error(`${done} of ${rows} rows were acknowledged.`);
  return {
    perSecond: rows / seconds,
    cpuMicrosecondsPerRow: (cpuSeconds * 1_000_000) / rows,
    atSettledInMegabytes: atSettledInMegabytes ?? 0,
    grownInMegabytes: largest - (atSettledInMegabytes ?? 0),
  };
}

/** Three processes: the program, and a user's own with and without the flag that the program sets for itself. */
export async function measureMemory(rows: number, print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
  const program = (url: string) => [
    at("packages/node/dist/cli.js"),
    "forward",
    "--once",
    "--sink",
    "jsonl",
    "--out",
    join(folder, "scores.jsonl"),
    "--base-url",
    url,
  ];
  const library = (url: string) => [at("test/bench/forwarder-library.ts"), url];
  const runs: [string, (url: string) => string[]][] = [
    ["the program, jsonl sink", program],
    [
      "a library user's process with --optimize-for-size, instant sink",
      (url) => ["--optimize-for-size", ...library(url)],
    ],
    ["a library user's process without flags, instant sink", library],
  ];
  try {
    for (const [name, commandFor] of runs) {
      const run = await drain(rows, commandFor);
      print(
        `memory of ${name}: ${rows} rows at ${run.perSecond.toFixed(0)}/s, ${run.cpuMicrosecondsPerRow.toFixed(1)} µs of processor time per row; ` +
          `RSS ${run.atSettledInMegabytes.toFixed(0)} MB behind ${settled} rows, then at most ${run.grownInMegabytes.toFixed(1)} MB more`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await measureMemory(Number(process.argv[2] ?? 150_000), (line) => void process.stdout.write(`${line}\n`));
}
