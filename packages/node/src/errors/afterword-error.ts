/** Marks this package's errors, including those of a second copy in the same program, where `instanceof` fails. */
const marker = Symbol.for("afterword.error");

/** Base class of this package's errors. Messages never hold personal data. */
export class AfterwordError extends Error {
  override readonly name: string = "AfterwordError";
  /** Whether the very same call may succeed later without any change. */
  readonly retryable: boolean = false;
  readonly [marker] = true;

  static isInstance(error: unknown): error is AfterwordError {
    return hasMarker(error, marker);
  }
}

/** Whether something thrown carries this marker. */
export function hasMarker(error: unknown, marker: symbol): boolean {
  return typeof error === "object" && error !== null && marker in error;
}
