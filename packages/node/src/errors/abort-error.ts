import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.abort");

/** The caller's signal ended the call. The service may have done what was asked. */
export class AbortError extends AfterwordError {
  override readonly name: string = "AbortError";
  readonly [marker] = true;

  static override isInstance(error: unknown): error is AbortError {
    return hasMarker(error, marker);
  }
}
