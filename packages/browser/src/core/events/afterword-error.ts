import type { ProblemCode } from "@afterword/protocol";

/**
 * - The codes of the service, such as `token_expired`. A newer service may send others: keep a default branch.
 * - `network`: no reply from the service. `refused`: a refusal without a code.
 * - `invalid_argument`: an invalid command or option. `secret_key`: the page has a secret key; nothing is sent.
 * - `load_failed`: a file of the widget failed to load. `unexpected`: a bug in this package.
 * - `outbox_full`, `expired`: an answer was dropped because 50 others are queued, or after seven days.
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

/** An error for `on("error")`. The message has method, path and status, never personal data. */
export class AfterwordError extends Error {
  declare readonly [marker]: true;
  declare readonly code: AfterwordErrorCode;
  /** HTTP status; 0 without a reply, absent if nothing was sent. */
  declare readonly status?: number;
  /** The request id in the service's log. */
  declare readonly requestId?: string;

  constructor(code: AfterwordErrorCode, message: string, status?: number, requestId?: string) {
    super(message);
    Object.assign(this, { code, status, requestId, [marker]: true });
  }

  /** Also true for errors of another copy of this package in the same page. */
  static isInstance(error: unknown): error is AfterwordError {
    return !!(error as Record<symbol, unknown> | undefined)?.[marker];
  }
}

/** @throws AfterwordError that names the missing argument. */
export function requireText(names: string, ...given: unknown[]) {
  if (!given.every((text) => text && typeof text === "string")) {
    throw new AfterwordError("invalid_argument", `${names} must be text`);
  }
}
