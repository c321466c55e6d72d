/** The request of an operator is refused and nothing was changed; the message says what to do instead. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}
