import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.forwarder-stopped");

/**
 * The forwarder has stopped because nothing can be delivered until the configuration is changed: the service or the
 * sink refuses the key. No score was marked as failed for it.
 */
export class ForwarderStoppedError extends AfterwordError {
  override readonly name: string = "ForwarderStoppedError";
  readonly [marker] = true;

  static override isInstance(error: unknown): error is ForwarderStoppedError {
    return hasMarker(error, marker);
  }
}
