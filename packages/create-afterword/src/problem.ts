export const isWindows = process.platform === "win32";

/** Ends the program with one line that says what is wrong and what to do. */
export class Problem extends Error {
  readonly exitCode: number;

  /** @param exitCode 2 for a usage error, 1 for a failure of the machine, 130 when the person has ended the program */
  constructor(message: string, exitCode: 1 | 2 | 130 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function refusePort(port: number, flag: string): never {
  throw new Problem(`Port ${port} is in use by another program: end that, or choose another with --${flag}.`);
}

/** A file or socket of this machine that cannot be used. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;
