import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchSecretKey, writeBenchConfig } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { memoryLine, watchMemory, type MemoryRun } from "./resident-memory.ts";
import { fillQueue } from "./scale-scenarios.ts";

// How far the resident memory of a client grows while it reads a large export of a real server. After a build:
// `node test/bench/export-memory.ts 300000`.

const rows = Number(process.argv[2] ?? 300_000);
const newline = 0x0a;
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Runs a reader that writes a line of output for so many rows. */
async function read(command: string[], rowsPerLine: number): Promise<MemoryRun> {
  const child = spawn(process.execPath, command, {
    env: { ...process.env, AFTERWORD_SECRET_KEY: benchSecretKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let seen = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === newline) seen += rowsPerLine;
  });
  const run = await watchMemory(child, rows, () => seen);
  if (seen !== rows) throw new Error(`${seen} of ${rows} rows were read.`);
  return run;
}

const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
try {
  const [config, database] = [join(folder, "config.json"), join(folder, "export.db")];
  writeBenchConfig(config);
  const first = await startBuiltServer(config, database);
  const projectId = first.ready.projects[0]!.id;
  await first.stop();
  fillQueue(database, projectId, rows);
  const server = await startBuiltServer(config, database);
  const { url } = server.ready;
  const program = [at("packages/node/dist/cli.js"), "export", "--base-url", url];
  const library = [at("test/bench/export-library.ts"), url, benchSecretKey];
  try {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    print(memoryLine("the program's export", rows, await read(program, 1)));
    print(memoryLine("a library's export, no flags", rows, await read(library, 1000)));
  } finally {
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
