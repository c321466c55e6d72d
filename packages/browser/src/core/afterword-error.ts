const marker = Symbol.for("afterword.error");

/** What went wrong, as given to `on("error")`. The message holds method, path and status, never personal data. */
export class AfterwordError extends Error {
  readonly [marker] = true;
  /**
   * A problem code of the service, or `network` (no reply of the service), `refused` (a refusal without a code),
   * `invalid_argument`, `load_failed`, `outbox_full`, `expired`, `unexpected`.
   */
  declare readonly code: string;
  /** HTTP status; 0 when there was no reply, absent where nothing was sent. */
  declare readonly status?: number;
  /** The service's id of the request, to look it up in the service's log. */
  declare readonly requestId?: string;

  constructor(code: string, message: string, status?: number, requestId?: string) {
    super(message);
    Object.assign(this, { code, status, requestId });
  }

  /** Also true for errors of another copy of this package in the same page. */
  static isInstance(error: unknown): error is AfterwordError {
    return !!(error as Record<symbol, unknown> | undefined)?.[marker];
  }
}
