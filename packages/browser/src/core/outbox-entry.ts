import type { Reply } from "./request.ts";
import type { SubmitResult } from "./survey-view.ts";

/** An answer or a dismissal on its way. Times are milliseconds since 1970. */
export interface OutboxEntry {
  path: string;
  body: { showToken: string; surveyId: string; userId: string };
  /** Whether the token is bound to a session, so that no other can stand for it. */
  isBound: boolean;
  /** When it was made. */
  at: number;
  /** The service asked to be left alone until then (Retry-After). */
  notBefore: number;
  /** Whether an earlier try may have reached the service unnoticed (decision D10). */
  isUncertain?: boolean;
  /** Whether it got a new token for an expired one. */
  isRenewed?: boolean;
}

/** Too early, too often, or a fault of the server or the network: the same request may succeed later. */
const isRetryable = (status: number) => !status || [408, 425, 429].includes(status) || status >= 500;

/** What became of an entry. 409 is success if an earlier try of this very answer was lost on its way back (decision D10). */
export function judge({ status, body }: Reply, isUncertain?: boolean): SubmitResult {
  if (isRetryable(status)) return "queued";
  const { kind } = (body["existing"] ?? {}) as { kind?: string };
  const isOwn = status === 409 && isUncertain && kind !== "dismissal";
  return status < 300 || isOwn ? "stored" : "refused";
}
