import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.connection");

/** No complete response arrived: DNS, the network, TLS or the connection failed, or the response broke off. */
export class ConnectionError extends AfterwordError {
  override readonly name: string = "ConnectionError";
  override readonly retryable: boolean = true;
  readonly [marker] = true;

  static override isInstance(error: unknown): error is ConnectionError {
    return hasMarker(error, marker);
  }
}
