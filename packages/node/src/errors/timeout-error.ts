import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.timeout");

/** No reply arrived in time. The service may have done what was asked. */
export class TimeoutError extends AfterwordError {
  override readonly name: string = "TimeoutError";
  override readonly retryable: boolean = true;
  readonly [marker] = true;

  static override isInstance(error: unknown): error is TimeoutError {
    return hasMarker(error, marker);
  }
}
