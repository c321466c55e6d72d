import { type Clock, systemClock } from "../options/clock.ts";
import { runProgram } from "./program.ts";
import type { Shell } from "./shell.ts";

export interface RunOptions {
  environment?: Record<string, string>;
  files?: Record<string, string>;
  /** Without it, on a terminal, no input ever arrives. */
  input?: string;
  isTerminal?: boolean;
  columns?: number;
  clock?: Clock;
  interrupted?: AbortSignal;
  stopSignal?: NodeJS.Signals;
  fetch?: typeof fetch;
  /** Called whenever something was written to standard error. */
  onError?: (text: string) => void;
}

/** Runs the program with these arguments and collects what it writes. */
export async function runInShell(args: readonly string[], options: RunOptions = {}) {
  let output = "";
  let errors = "";
  const typed = (options.input ?? "").split("\n").slice(0, -1);
  const shell: Shell = {
    version: "1.2.3-test",
    environment: options.environment ?? {},
    writeOut: (text) => void (output += text),
    writeError(text) {
      errors += text;
      options.onError?.(text);
    },
    isTerminal: options.isTerminal ?? false,
    columns: () => options.columns ?? 80,
    readFile: async (path) => {
      const text = options.files?.[path];
      if (text === undefined) throw new Error(`There is no file ${path}.`);
      return text;
    },
    readInput: async () => options.input ?? "",
    readLine: () =>
      options.input === undefined && options.isTerminal
        ? new Promise<undefined>(() => undefined)
        : Promise.resolve(typed.shift()),
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? systemClock,
    random: () => 0,
    interrupted: options.interrupted ?? new AbortController().signal,
    stopSignal: () => options.stopSignal,
  };
  const exitCode = await runProgram(args, shell);
  const lines = output.split("\n").filter(Boolean);
  return { exitCode, output, errors, lines, json: () => lines.map((line): unknown => JSON.parse(line)) };
}
