import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.configuration");

/** The client was set up or called in a way that cannot work; nothing was sent. */
export class ConfigurationError extends AfterwordError {
  override readonly name: string = "ConfigurationError";
  readonly [marker] = true;

  static override isInstance(error: unknown): error is ConfigurationError {
    return hasMarker(error, marker);
  }
}
