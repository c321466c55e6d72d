/** What the program takes from its process. */
export interface Shell {
  version: string;
  writeOut: (text: string) => void;
  writeError: (text: string) => void;
  writeFile: (path: string, text: string) => void;
  /** Rejects when the signal aborts it. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A new random id. */
  randomId: () => string;
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal;
}

export const exitCodes = { passed: 0, failed: 1, cannotRun: 2 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
