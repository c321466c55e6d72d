const marker = Symbol.for("afterword.server.mistake");

/** What an operator asked for cannot be done, and nothing was changed; the message says what to do instead. */
export class Mistake extends Error {
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Mistake";
  }

  static isInstance(error: unknown): error is Mistake {
    return typeof error === "object" && error !== null && marker in error;
  }
}
