/** Marks this package's errors, including those of a second copy in the same program, where `instanceof` fails. */
const marker = Symbol.for("afterword.error");

/** Base class of this package's errors. Messages never hold personal data. */
export class AfterwordError extends Error {
  /** The `name` of the class's errors. The class's own is lost where a bundler shortens it. */
  protected static readonly kind: string = "AfterwordError";
  override readonly name: string = (this.constructor as typeof AfterwordError).kind;
  /** Whether the very same call may succeed later without any change. */
  readonly retryable: boolean = false;
  readonly [marker] = true;

  /** Whether something thrown is an error of this class, also where another copy of this package has made it. */
  static isInstance<Kind>(this: abstract new (...given: never) => Kind, error: unknown): error is Kind {
    const { kind } = this as unknown as typeof AfterwordError;
    if (typeof error !== "object" || error === null || !(marker in error)) return false;
    return kind === "AfterwordError" || (error as AfterwordError).name === kind || error instanceof this;
  }
}

/** The caller's signal ended the call. The service may have done what was asked. */
export class AbortError extends AfterwordError {
  protected static override readonly kind = "AbortError";
}

/** The client was set up or called in a way that cannot work; nothing was sent. */
export class ConfigurationError extends AfterwordError {
  protected static override readonly kind = "ConfigurationError";
}

/** No complete response arrived: DNS, the network, TLS or the connection failed, or the response broke off. */
export class ConnectionError extends AfterwordError {
  protected static override readonly kind = "ConnectionError";
  override readonly retryable = true;
}

/** No reply arrived in time. The service may have done what was asked. */
export class TimeoutError extends AfterwordError {
  protected static override readonly kind = "TimeoutError";
  override readonly retryable = true;
}

/**
 * The forwarder has stopped because nothing can be delivered until the configuration is changed: the service or the
 * sink refuses the key. No score was marked as failed for it.
 */
export class ForwarderStoppedError extends AfterwordError {
  protected static override readonly kind = "ForwarderStoppedError";
}
