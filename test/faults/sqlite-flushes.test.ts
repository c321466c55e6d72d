import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

// Killing a process cannot tell a durable commit from one that a power cut would take back: counting flushes can.

const program = fileURLToPath(new URL("./flush-program.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "afterword-flushes-"));
const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const commits = 40;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How often the program flushed a file to disk while it stored so many answers, one after the other. */
function flushesFor(count: number): number {
  const trace = join(folder, `trace-${count}`);
  const database = join(folder, `flushes-${count}.db`);
  const traced = ["-f", "-e", "trace=fsync,fdatasync", "-o", trace];
  const command = [...traced, process.execPath, program, database, String(count)];
  const run = spawnSync("strace", command, { encoding: "utf8" });
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  return readFileSync(trace, "utf8").match(/f(data)?sync\(/g)?.length ?? 0;
}

describe("an answer that was given is on disk", () => {
  it.runIf(hasStrace)("each one that comes alone is flushed on its own", () => {
    const [without, withAnswers] = [flushesFor(0), flushesFor(commits)];
    expect(withAnswers - without).toBeGreaterThanOrEqual(commits);
  });
});
