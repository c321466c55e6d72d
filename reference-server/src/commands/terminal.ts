/** What a command touches of the process it runs in. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  /** A line on stdout. */
  print(line: string): void;
  /** A line on stderr. */
  complain(line: string): void;
  /** Runs once when the process is asked to end; the process ends after it. */
  onStop(stop: () => Promise<void>): void;
}
