import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "./process-cpu.ts";
import { peakMegabytes } from "./resident-memory.ts";

const program = fileURLToPath(new URL("../../packages/server/dist/cli.js", import.meta.url));

/** One run of a command: how long, its processor time, and the most memory that its process held at once. */
export interface CommandRun {
  seconds: number;
  processorSeconds: number;
  megabytes: number;
}

function processorOf(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    // It has ended.
    return 0;
  }
}

/** Runs a command of the built server. @param allowed exit codes that are no failure */
export async function runCommand(
  words: readonly string[],
  allowed: readonly number[] = [0],
): Promise<CommandRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let [megabytes, processorSeconds, errors] = [0, 0, ""];
  child.stderr.on("data", (chunk) => void (errors += String(chunk)));
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, peakMegabytes(child.pid!));
    processorSeconds = Math.max(processorSeconds, processorOf(child.pid!));
  }, 10);
  const [code] = (await once(child, "exit")) as [number];
  clearInterval(watch);
  if (!allowed.includes(code)) throw new Error(`${words[0]} ended with ${code}: ${errors}`);
  return { seconds: (performance.now() - startedAt) / 1000, processorSeconds, megabytes };
}

/** The largest figures of several runs. */
export async function slowestOf(runs: number, run: () => Promise<CommandRun>): Promise<CommandRun> {
  const all: CommandRun[] = [];
  for (let count = 0; count < runs; count++) all.push(await run());
  const most = (name: keyof CommandRun) => Math.max(...all.map((one) => one[name]));
  return {
    seconds: most("seconds"),
    processorSeconds: most("processorSeconds"),
    megabytes: most("megabytes"),
  };
}
