/** Ends the program with one line that says what is wrong and what to do. */
export class Problem extends Error {
  readonly exitCode: number;

  /** @param exitCode 2 for a usage error, 1 for a failure of the machine */
  constructor(message: string, exitCode: 1 | 2 | 130, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
