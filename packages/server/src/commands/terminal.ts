import { type Clock } from "@afterword/reference-server/internal";
import { type LogDestination } from "../log/log-writer.ts";
import { type ExitCode } from "./exit-code.ts";

/** A command's access to its process. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Name of the account that runs the command, for the audit. */
  operator: string;
  /** Name of the machine, for the audit. */
  host: string;
  /** Version of Node. */
  nodeVersion: string;
  fetch: typeof fetch;
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
  /** Whether stderr is a terminal; otherwise no progress is shown. */
  isWatched: boolean;
  /** Replaces the last line of stderr; an empty text removes it. */
  showProgress(text: string): void;
  /** Whether a person can answer questions. */
  isInteractive: boolean;
  /** Asks on stderr and resolves with the typed line. */
  ask(question: string): Promise<string>;
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
