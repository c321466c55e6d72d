import { readdirSync, readFileSync } from "node:fs";

// Processor time from /proc, which other programs on a busy machine do not change.

const clockTicksPerSecond = 100;

/** State, parent, …, user, system, user of ended children, system of ended children: as `man proc` counts them. */
function statOf(pid: number | string): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const secondsOf = (fields: string[]) => sum(fields.map(Number)) / clockTicksPerSecond;

/** Seconds of one process. */
export const cpuSeconds = (pid: number) => secondsOf(statOf(pid).slice(11, 13));

export const parentOf = (pid: number) => Number(statOf(pid)[1]);

/** Seconds of a process and its children, ended ones included. */
export function cpuSecondsOfFamily(parent: number): number {
  const ofChildren = readdirSync("/proc").map((name) => {
    if (!/^\d+$/.test(name)) return 0;
    try {
      const fields = statOf(name);
      return Number(fields[1]) === parent ? secondsOf(fields.slice(11, 13)) : 0;
    } catch {
      // It has ended since the folder was read; its parent knows its time.
      return 0;
    }
  });
  return sum(ofChildren) + secondsOf(statOf(parent).slice(11, 15));
}
