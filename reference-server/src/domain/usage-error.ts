const marker = Symbol.for("afterword.server.usage-error");

/** What an operator asked for cannot be done, and nothing was changed; the message says what to do instead. */
export class UsageError extends Error {
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }

  static isInstance(error: unknown): error is UsageError {
    return typeof error === "object" && error !== null && marker in error;
  }
}
