import type { PostPath } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { Respondent, InstalledToken, SubmitResult, SurveyAnswer } from "../public/index.ts";
import type { Reply } from "../page/index.ts";

/*
 * The states of an entry. Every change of state is written to the device, if the person has consented, and otherwise to
 * memory; other tabs hear of it by the `storage` event.
 *
 *   a rating is chosen, or waits for its delay        an answer or dismissal is given
 *                       |                                            |
 *                       v                                            v
 *       +----------> held --------------------------------------> sending <-------------------+
 *       | changed       |     the person answers, the delay is       |                        | due: a timer, the network
 *       +---------------+     over, or its page has ended            |                        | or the person is back
 *                       |                                            +-----------------> queued
 *                       | taken back, or                             |   no reply, or a busy  |
 *                       | replaced in another tab                    |   service              | after seven days
 *                       v                                            v                        v
 *                    deleted               stored, already, refused: deleted          deleted, `expired`
 *
 * A held entry belongs to the page that made it: the lock of its name, which the browser releases however that page ends,
 * keeps other pages from sending it. A page that ends while it sends leaves the entry to the next page, which sends it again.
 */
export type EntryState = "held" | "sending" | SubmitResult;

/** A queued answer or dismissal. Times are milliseconds since 1970. */
export interface OutboxEntry {
  state: EntryState;
  /** The name under which the device remembers that the person was asked (`askedName`). At most one is held under it. */
  asked: string;
  path: PostPath;
  body: { showToken: string; surveyId: string; userId: string; rating?: number };
  /** Whether the token is session-bound, so that no other can replace it. */
  isBound: boolean;
  /** When it was made, or first sent after it was held. */
  at: number;
  /** Whether a request with it has begun, so that the service may have stored it. */
  isTried?: boolean;
  /** Not sent before this time, because the service asked to wait (Retry-After). */
  notBefore: number;
}

/** What a survey hands over to send. */
export type Submission = Pick<OutboxEntry, "path" | "body" | "isBound" | "isTried">;

/** A show-token, with what it attests if it is session-bound. */
export type ShowToken = Pick<InstalledToken, "surveyId" | "token"> & Partial<InstalledToken>;

/**
 * Creates what is sent: a dismissal if there is no answer. Global Privacy Control omits the fields that an answer does not
 * need.
 */
export function submissionOf(
  { id, kind, traits }: Respondent,
  { surveyId, token, sessionId, observationId, taskType }: ShowToken,
  isPrivate: boolean,
  answer?: SurveyAnswer,
): Submission {
  const body = { showToken: token, surveyId, userId: id };
  const isBound = !!sessionId;
  if (!answer) return { path: "/v1/dismissals", body, isBound };
  const content = {
    rating: answer.rating,
    text: answer.text?.trim() ? [...answer.text].slice(0, textLength).join("") : undefined,
    followUpRequested: answer.followUpRequested || undefined,
    identityKind: kind,
    sessionId,
    observationId,
    ...(!isPrivate && { taskType, traits }),
  };
  return { path: "/v1/sdk/responses", body: { ...body, ...content }, isBound };
}

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
