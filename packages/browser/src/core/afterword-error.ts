import type { ProblemCode } from "@afterword/protocol";

/**
 * - The codes of the service, such as `token_expired`. A newer service may send others: keep a default branch.
 * - `network`: no reply of the service. `refused`: a refusal without a code.
 * - `invalid_argument`: a command or option that cannot work. `secret_key`: the page has a secret key; nothing is sent.
 * - `load_failed`: a file of the widget did not arrive. `unexpected`: a fault in this package.
 * - `outbox_full`, `expired`: an answer was given up because 50 others wait, or after seven days.
 */
export type AfterwordErrorCode =
  | ProblemCode
  | "network"
  | "refused"
  | "invalid_argument"
  | "secret_key"
  | "load_failed"
  | "outbox_full"
  | "expired"
  | "unexpected";

const marker = Symbol.for("afterword.error");

/** What went wrong, as given to `on("error")`. The message holds method, path and status, never personal data. */
export class AfterwordError extends Error {
  readonly [marker] = true;
  declare readonly code: AfterwordErrorCode;
  /** HTTP status; 0 when there was no reply, absent where nothing was sent. */
  declare readonly status?: number;
  /** The service's id of the request, to look it up in the service's log. */
  declare readonly requestId?: string;

  constructor(code: AfterwordErrorCode, message: string, status?: number, requestId?: string) {
    super(message);
    Object.assign(this, { code, status, requestId });
  }

  /** Also true for errors of another copy of this package in the same page. */
  static isInstance(error: unknown): error is AfterwordError {
    return !!(error as Record<symbol, unknown> | undefined)?.[marker];
  }
}
