import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import type { SinkAnswer } from "./sink-request.ts";

export interface StatusOutcomeOptions {
  /** Whether a 2xx is the reply that this service documents as success; a login page also answers 200. */
  accepts: (body: unknown, status: number) => boolean;
  /**
   * What a 404 means. Default `fatal`: the service stores scores for targets that it has never heard of, so the
   * base URL must be wrong, and that must not burn a row.
   */
  notFound?: Outcome;
}

const fatalStatuses = new Set([401, 402, 403, 405, 410]);
const permanentStatuses = new Set([400, 413, 422]);

/** The one table from what a service answers to what becomes of the score (decision D95). */
export function statusOutcome(answer: SinkAnswer, options: StatusOutcomeOptions): Outcome {
  if (answer.kind === "none") return retryOutcome(answer);
  const { reason, body } = answer;
  const status = answer.status < 300 ? (statusInside(body) ?? answer.status) : answer.status;
  if (status >= 200 && status < 300) {
    return options.accepts(body, status) ? { outcome: "delivered" } : strangersReply(reason);
  }
  if (status >= 300 && status < 400) {
    return { outcome: "fatal", reason: `${reason}, a redirect; give the final address` };
  }
  if (fatalStatuses.has(status)) return { outcome: "fatal", reason };
  if (permanentStatuses.has(status)) {
    return isPage(body) ? strangersReply(reason) : { outcome: "permanent", reason };
  }
  if (status === 404)
    return options.notFound ?? { outcome: "fatal", reason: `${reason}; is the base URL right?` };
  return retryOutcome(answer);
}

/** To be tried again, this score or everything: what is no answer keeps nobody's request. */
export function retryOutcome(answer: SinkAnswer): Extract<Outcome, { outcome: "retry" }> {
  const { reason } = answer;
  if (answer.kind === "none") return { outcome: "retry", scope: "sink", reason };
  const { isForAll, afterInMs } = answer;
  return { outcome: "retry", scope: isForAll ? "sink" : "score", reason, afterInMs };
}

/** A portal, proxy or load balancer in between has answered: nothing was stored, and nothing was refused. */
const strangersReply = (reason: string): Outcome => ({
  outcome: "retry",
  scope: "sink",
  reason: `${reason} but not as this service does; is something in between?`,
});

export const isJsonObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === "object" && body !== null && !Array.isArray(body);

/** The reply is an HTML page, which no service of ours answers with. */
export const isPage = (body: unknown) =>
  typeof body === "string" && /^\s*<(!doctype|html|head|body)\b/i.test(body);

/** Whether a 404 speaks of what was asked for. FastAPI and Starlette answer `Not Found` for a path that they do not know. */
export function namesWhatIsMissing(body: unknown): boolean {
  const said = isJsonObject(body) ? body["detail"] : body;
  return said !== "Not Found" && said !== "" && !isPage(said);
}

/** Some services answer 2xx and put what went wrong inside; one score is sent at a time, so the first error is its. */
function statusInside(body: unknown): number | undefined {
  const { errors, rejected } = Object(body) as { errors?: unknown; rejected?: unknown };
  if (typeof rejected === "number" && rejected > 0) return 400;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const { status } = Object(errors[0]) as { status?: unknown };
  return typeof status === "number" && status >= 400 ? status : 500;
}

/** The fate of a row that says neither whom it belongs to nor what it belongs to: nothing is guessed. */
export const noTarget = {
  outcome: "permanent",
  reason: "the score names neither a session nor an observation",
} as const;

/** Whether there is anything that a service could show: a rating, or words. */
export const saysNothing = ({ rating, text }: DeliverableScore) => rating === null && (text ?? "") === "";

export const nothingToSend = {
  outcome: "permanent",
  reason: "the score has neither a rating nor a text to send",
} as const;
