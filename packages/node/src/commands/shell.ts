import { once } from "node:events";
import type { Writable } from "node:stream";
import { type Clock, whenAborted } from "../options/clock.ts";
import { AbortError } from "../errors/afterword-error.ts";

/** What a command may access, so that a test can run it without a process. */
export interface Shell {
  /** Of the package. */
  version: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Results, for pipes and people. A promise resolves when there is room for more: await it when writing much. */
  writeOut(text: string): void | Promise<void>;
  /** Progress and problems. */
  writeError(text: string): void;
  /** Whether standard error is a terminal. */
  isTerminal: boolean;
  /** Width of that terminal at this moment. */
  columns(): number;
  readFile(path: string): Promise<string>;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** The next line of standard input; `undefined` at its end. */
  readLine(): Promise<string | undefined>;
  fetch: typeof fetch;
  clock: Clock;
  random: () => number;
  /** Aborted by SIGINT, SIGTERM or SIGHUP. */
  interrupted: AbortSignal;
  /** Which signal came first. Default: SIGTERM. */
  stopSignal?: () => NodeJS.Signals | undefined;
}

/** The next line typed. Throws an `AbortError` if the program is interrupted first. */
export async function typedLine({ readLine, interrupted }: Shell): Promise<string | undefined> {
  const line = interrupted.aborted ? undefined : await Promise.race([readLine(), whenAborted(interrupted)]);
  if (interrupted.aborted) throw new AbortError("Interrupted.");
  return line;
}

/** One line of JSON on standard output. */
export function writeJson(shell: Shell, value: unknown): void | Promise<void> {
  return shell.writeOut(`${JSON.stringify(value)}\n`);
}

const nothing = () => undefined;

/**
 * Writes to a stream with back-pressure: the promise resolves when the reader has caught up, so that the rest of an
 * export waits at the service and not in memory. A closed stream interrupts the program.
 */
export function streamWriter(stream: Writable, interrupted: AbortController): Shell["writeOut"] {
  stream.on("error", () => interrupted.abort());
  return (text) => {
    if (!stream.writable || stream.write(text)) return undefined;
    // Does not wait for a stream that fails, nor after an interrupt.
    return once(stream, "drain", { signal: interrupted.signal }).then(nothing, nothing);
  };
}
