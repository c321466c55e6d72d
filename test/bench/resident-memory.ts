import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpuSeconds } from "./process-cpu.ts";

/** Rows after which a process counts as warm: what it takes until then is what it needs at all. */
export const settledRows = 10_000;
const sampleEveryInMs = 50;

/** What a process holds in memory, as the system counts it; 0 once it has ended. */
export const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

/** The most that it has held so far; 0 once it has ended. */
export function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export interface MemoryRun {
  rowsPerSecond: number;
  cpuMicrosecondsPerRow: number;
  atSettledInMegabytes: number;
  /** Most that came on top until the end. */
  grownInMegabytes: number;
}

/** Watches a process from outside until it ends; `seenRows` says how many rows it has worked off. */
export async function watchMemory(
  child: ChildProcess,
  rows: number,
  seenRows: () => number | Promise<number>,
): Promise<MemoryRun> {
  const startedAt = performance.now();
  const ended = once(child, "exit");
  let atSettled: number | undefined;
  let largest = 0;
  let processorSeconds = 0;
  for (;;) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, sampleEveryInMs))]);
    if (child.exitCode !== null) break;
    processorSeconds = cpuSeconds(child.pid!);
    const resident = residentMegabytes(child.pid!);
    if (atSettled === undefined && (await seenRows()) >= settledRows) atSettled = resident;
    if (atSettled !== undefined) largest = Math.max(largest, resident);
  }
  if (child.exitCode !== 0 || atSettled === undefined) throw new Error(`It ended with ${child.exitCode}.`);
  return {
    rowsPerSecond: (rows * 1000) / (performance.now() - startedAt),
    cpuMicrosecondsPerRow: (processorSeconds * 1_000_000) / rows,
    atSettledInMegabytes: atSettled,
    grownInMegabytes: largest - atSettled,
  };
}

export function memoryLine(name: string, rows: number, run: MemoryRun): string {
  const speed = `${rows} rows at ${run.rowsPerSecond.toFixed(0)}/s, ${run.cpuMicrosecondsPerRow.toFixed(1)} µs of processor time each`;
  const memory = `${run.atSettledInMegabytes.toFixed(0)} MB behind ${settledRows} rows, then at most ${run.grownInMegabytes.toFixed(1)} MB more`;
  return `memory of ${name}: ${speed}; ${memory}`;
}
