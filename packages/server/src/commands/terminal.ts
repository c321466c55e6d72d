import { type Clock, UsageError } from "@afterword/reference-server/internal";
import { type LogDestination } from "../log/log-writer.ts";

/** The program's exit codes; docs/reference/commands.md lists them. */
export const exitCodes = {
  done: 0,
  /** An error of the program or the machine. */
  failed: 1,
  /** Usage error in flags, variables or a file; nothing was changed. */
  usage: 2,
  /** The command was refused or not confirmed; nothing was changed. */
  refused: 3,
  unavailable: 4,
  unhealthy: 5,
  dropped: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command's access to its process. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Name of the account that runs the command, for the audit. */
  operator: string;
  /** Name of the machine, for the audit. */
  host: string;
  /** A line on stdout. */
  print(line: string): void;
  /** Text on stdout; resolves once it has been written. */
  write(text: string): Promise<void>;
  /** A line on stderr. */
  complain(line: string): void;
  /** Receives the log of `serve` and the audit lines of all commands. */
  log: LogDestination;
  /** The process ends with it unless a signal ends it. Default: 0. */
  setExitCode(code: ExitCode): void;
  /** Replaces the last line of stderr, if that is a terminal; an empty text removes it. */
  showProgress(text: string): void;
  /** Asks on stderr and resolves with the typed line. Absent where no person can answer. */
  ask?(question: string): Promise<string>;
  /**
   * From now on Ctrl-C and SIGTERM abort the returned signal, with a UsageError as its reason, instead of ending the
   * process: the command ends after its step without leaving a partial file. A second Ctrl-C ends the process.
   */
  onInterrupt(): AbortSignal;
  /** Leaves processor and memory to a server on the same machine from now on. */
  giveWay(): void;
  /** Runs `stop` once on a stop signal, then ends the process. */
  onStop(stop: () => Promise<void>): void;
}

/**
 * Asks for confirmation of a destructive command, unless `--yes` was given.
 * @throws UsageError when the word was not typed, or without a terminal
 */
export async function confirm(
  { flags, ask, complain }: Pick<Terminal, "ask" | "complain"> & { flags: { yes?: true } },
  consequence: string,
  word: string,
): Promise<void> {
  if (flags.yes) return;
  if (!ask) throw new UsageError(`${consequence} Add --yes to confirm without a terminal.`);
  complain(consequence);
  const answer = await ask(`Type ${word} to continue: `);
  if (answer.trim() !== word) throw new UsageError("Nothing was changed.");
}

const shownEveryInMs = 100;
const barLength = 24;

/** Shows the progress of long work; throws once `interruption` is aborted. A `total` of 0 means unknown. */
export function progressOf(
  { clock, showProgress }: Pick<Terminal, "clock" | "showProgress">,
  what: string,
  interruption?: AbortSignal,
) {
  let shownAt = -Infinity;
  return (done: number, total = 0): void => {
    interruption?.throwIfAborted();
    const now = clock.now();
    if (now - shownAt < shownEveryInMs) return;
    shownAt = now;
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const bar = "█".repeat(Math.round(share * barLength)).padEnd(barLength, "░");
    const amount = total > 0 ? `${bar} ${Math.floor(share * 100)} %` : done.toLocaleString("en");
    showProgress(`${what} ${amount}`);
  };
}
