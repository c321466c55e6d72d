const marker = Symbol.for("afterword.server.overloaded");

/**
 * Why a request was refused before it was handled: `requests` and `body-bytes`, too much is in flight; `unfinished`, the client itself has too many requests whose bodies have not arrived.
 */
export type ShedReason = "requests" | "body-bytes" | "unfinished";

/** The request was shed; becomes 429 where the client is the cause, and otherwise 503 (decision O71). */
export class Overloaded extends Error {
  readonly [marker] = true;
  readonly reason: ShedReason;

  constructor(reason: ShedReason) {
    super(`The request was shed: ${reason}`);
    this.name = "Overloaded";
    this.reason = reason;
  }

  static isInstance(error: unknown): error is Overloaded {
    return typeof error === "object" && error !== null && marker in error;
  }
}
