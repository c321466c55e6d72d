import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { isObject } from "../options/json.ts";
import type { ErasureOutcome, Outcome } from "../scores/sink.ts";
import type { SinkReply } from "./sink-request.ts";

/** Whether a 2xx is the reply that the service documents as success; a login page also answers 200. */
export type Accepts = (body: unknown, status: number) => boolean;

const fatalStatuses = new Set([401, 402, 403, 405, 410]);
const permanentStatuses = new Set([400, 413, 422]);

/** Maps a service's reply to the outcome of the score. */
export function statusOutcome(reply: SinkReply, accepts: Accepts): Outcome {
  const { reason, body } = reply;
  const status = reply.status < 300 ? (statusInside(body) ?? reply.status) : reply.status;
  if (status >= 200 && status < 300) {
    return accepts(body, status) ? { outcome: "delivered" } : foreignReply(reason);
  }
  if (status >= 300 && status < 400) {
    return { outcome: "fatal", reason: `${reason}, a redirect; set the final address` };
  }
  if (fatalStatuses.has(status)) return { outcome: "fatal", reason };
  if (permanentStatuses.has(status)) {
    return isPage(body) ? foreignReply(reason) : { outcome: "permanent", reason };
  }
  // Sinks handle a missing target themselves. Any other 404 means a wrong base URL, which must not fail a score.
  if (status === 404) return { outcome: "fatal", reason: `${reason}; is the base URL right?` };
  return retryOutcome(reply);
}

/**
 * Maps a service's reply to a deletion to its outcome: an unknown score counts as erased, and a temporary failure can be
 * retried. A proxy's page has erased nothing.
 */
export function erasureOutcome(reply: SinkReply): ErasureOutcome {
  const { status, body, reason, afterInMs = 0 } = reply;
  const isDone = status >= 200 && status < 300;
  if (isDone ? body === "" || isJsonObject(body) : status === 404 && namesWhatIsMissing(body))
    return { outcome: "erased" };
  return isDone || status === 0 || isRetryableStatus(status)
    ? { outcome: "failed", reason, afterInMs }
    : { outcome: "failed", reason };
}

/** Retries this score, or all scores when the service did not answer or is unavailable. */
export function retryOutcome(reply: SinkReply): Extract<Outcome, { outcome: "retry" }> {
  const { isForAll, afterInMs, reason } = reply;
  return { outcome: "retry", scope: isForAll ? "sink" : "score", reason, afterInMs };
}

/** A portal, proxy or load balancer answered in the service's place: nothing was stored, and nothing was refused. */
const foreignReply = (reason: string): Outcome => ({
  outcome: "retry",
  scope: "sink",
  reason: `${reason} but not as this service does; is a proxy in between?`,
});

export const isJsonObject = (body: unknown): body is Record<string, unknown> =>
  isObject(body) && !Array.isArray(body);

/** Whether the reply is an object with an id, as several services answer for what they have stored. */
export const hasId = (body: unknown) => isJsonObject(body) && typeof body["id"] === "string";

/** Whether the reply is an HTML page, which none of the services sends. */
export const isPage = (body: unknown) =>
  typeof body === "string" && /^\s*<(!doctype|html|head|body)\b/i.test(body);

/** Whether a 404 is about the resource. For an unknown path FastAPI and Starlette answer `Not Found`. */
export function namesWhatIsMissing(body: unknown): boolean {
  const said = isJsonObject(body) ? body["detail"] : body;
  return said !== "Not Found" && said !== "" && !isPage(said);
}

/** The status of an error inside a 2xx. One score is sent at a time, so the first error belongs to it. */
function statusInside(body: unknown): number | undefined {
  const { errors, rejected } = Object(body) as { errors?: unknown; rejected?: unknown };
  if (typeof rejected === "number" && rejected > 0) return 400;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const { status } = Object(errors[0]) as { status?: unknown };
  return typeof status === "number" && status >= 400 ? status : 500;
}

/** A score without session and observation: its target is never guessed. */
export const noTarget = {
  outcome: "permanent",
  reason: "the score names neither a session nor an observation",
} as const;
