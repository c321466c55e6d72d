import { type Clock } from "../domain/clock.ts";
import { type LogDestination } from "../operations/event-log.ts";

/** What a command touches of the process it runs in. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Name of the account that runs the command, for the audit. */
  operator: string;
  /** Name of the machine, for the audit. */
  host: string;
  fetch: typeof fetch;
  /** A line on stdout. */
  print(line: string): void;
  /** Text on stdout; resolves once its reader has taken it. */
  write(text: string): Promise<void>;
  /** A line on stderr. */
  complain(line: string): void;
  /** Where `serve` writes its log, and every command its audit. */
  log: LogDestination;
  /** Whether somebody watches stderr; progress is for them alone. */
  isWatched: boolean;
  /** Puts a text in the place of the last line of stderr; an empty one takes it away. */
  showProgress(text: string): void;
  /** Whether somebody is there to be asked. */
  isInteractive: boolean;
  /** Asks on stderr and resolves with the line that was typed. */
  ask(question: string): Promise<string>;
  /**
   * From now on Ctrl-C and SIGTERM do not end the process at once: the signal is given, whose reason is a UsageError, and
   * the command ends after its step without leaving half of a file. A second Ctrl-C does end it.
   */
  onInterrupt(): AbortSignal;
  /** Runs once when the process is asked to end; the process ends after it. */
  onStop(stop: () => Promise<void>): void;
}
