import type { PostPath } from "@afterword/protocol";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { Reply } from "../service/index.ts";
import type { SubmitResult } from "../survey/index.ts";

/** A queued answer or dismissal. Times are milliseconds since 1970. */
export interface OutboxEntry {
  path: PostPath;
  body: { showToken: string; surveyId: string; userId: string; rating?: number };
  /** Whether the token is session-bound, so that no other can replace it. */
  isBound: boolean;
  /** When it was made. */
  at: number;
  /** Whether a request with it has begun, so that the service may have stored it. */
  isTried?: boolean;
  /** Of the last attempt, for votes in other tabs that this one has replaced. */
  result?: SubmitResult;
  /** Not sent before this time, because the service asked to wait (Retry-After). */
  notBefore: number;
  /**
   * For a rating that the person can still change: the name to remember as asked once it is sent. It belongs to the page
   * that made it; once that has ended, any page sends it.
   */
  heldAs?: string;
}

/** What a survey hands over to send. */
export type Submission = Pick<OutboxEntry, "path" | "body" | "isBound" | "isTried">;

/**
 * The outcome of an entry. Only the service can store or refuse: a success has an id, a refusal is JSON (decision O47).
 * Everything else is a temporary fault on the way. 409 means that the token was used: by this entry if the service says
 * so, or if it does not compare them and an earlier attempt may have arrived (decision D131).
 */
export function outcomeOf({ status, body, isRepeated }: Reply, isTried = isRepeated): SubmitResult {
  if (status === 409) {
    const { kind, isSame } = (body?.["existing"] ?? {}) as { kind?: string; isSame?: boolean };
    if (kind === "dismissal") return "refused";
    return (isSame ?? isTried) ? "stored" : "already";
  }
  if (status < 300) return body?.["ok"] === true && typeof body["id"] === "string" ? "stored" : "queued";
  return body && status >= 400 && !isRetryableStatus(status) ? "refused" : "queued";
}
