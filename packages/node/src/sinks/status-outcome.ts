import { type Outcome } from "../delivery/sink.ts";
import { type SinkAnswer } from "./sink-request.ts";

export interface StatusOutcomeOptions {
  /** Whether a 2xx answer is this service's own; a login page also answers 200. Default: any 2xx is. */
  accepts?: (body: unknown) => boolean;
  /**
   * What a 404 means. Default `fatal`: the service stores scores for targets that it has never heard of, so the
   * base URL must be wrong, and that must not burn a row.
   */
  notFound?: Outcome;
}

const fatalStatuses = new Set([401, 402, 403, 405, 410]);
const permanentStatuses = new Set([400, 413, 422]);

/** The one table from what a service answers to what becomes of the score (decision D95). */
export function statusOutcome(
  answer: SinkAnswer,
  { accepts = () => true, notFound }: StatusOutcomeOptions = {},
): Outcome {
  const { reason } = answer;
  if (answer.kind === "none") return { outcome: "retry", reason };
  const { status, body, afterInMs } = answer;
  if (status >= 200 && status < 300) {
    return accepts(body)
      ? { outcome: "delivered" }
      : { outcome: "retry", reason: `${reason} but not as this service does` };
  }
  if (status >= 300 && status < 400)
    return { outcome: "fatal", reason: `${reason}, a redirect; give the final address` };
  if (fatalStatuses.has(status)) return { outcome: "fatal", reason };
  if (permanentStatuses.has(status)) return { outcome: "permanent", reason };
  if (status === 404) return notFound ?? { outcome: "fatal", reason: `${reason}; is the base URL right?` };
  return { outcome: "retry", reason, afterInMs };
}

/** The fate of a row that says neither whom it belongs to nor what it belongs to: nothing is guessed. */
export const noTarget = {
  outcome: "permanent",
  reason: "the score names neither a session nor an observation",
} as const;

export const nothingToSend = {
  outcome: "permanent",
  reason: "the score has neither a rating nor a text to send",
} as const;
