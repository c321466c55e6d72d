import type { Clock } from "../options/clock.ts";
import { AbortError } from "../errors/abort-error.ts";

/** What a command is given of the world, so that a test can run it without a process. */
export interface Shell {
  /** Of the package. */
  version: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Results, for pipes and people. A promise resolves when there is room for more: whoever writes much waits for it. */
  writeOut(text: string): void | Promise<void>;
  /** Progress and problems. */
  writeError(text: string): void;
  /** Whether somebody is watching standard error. */
  isTerminal: boolean;
  /** Width of that terminal at this moment. */
  columns(): number;
  readFile(path: string): Promise<string>;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** The next line that somebody types; `undefined` when the input has ended. */
  readLine(): Promise<string | undefined>;
  fetch: typeof fetch;
  clock: Clock;
  random: () => number;
  /** Aborted by SIGINT or SIGTERM. */
  interrupted: AbortSignal;
}

/** What somebody types, but no longer than until they interrupt. @throws AbortError then */
export async function typedLine({ readLine, interrupted }: Shell): Promise<string | undefined> {
  const { promise: isInterrupted, resolve } = Promise.withResolvers<undefined>();
  const leave = () => resolve(undefined);
  interrupted.addEventListener("abort", leave);
  try {
    const line = interrupted.aborted ? undefined : await Promise.race([readLine(), isInterrupted]);
    if (interrupted.aborted) throw new AbortError("Interrupted.");
    return line;
  } finally {
    interrupted.removeEventListener("abort", leave);
  }
}

/** One line of JSON on standard output. */
export function writeJson(shell: Shell, value: unknown): void | Promise<void> {
  return shell.writeOut(`${JSON.stringify(value)}\n`);
}
