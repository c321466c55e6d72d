import type { IdentityKind, IngestOk, SurveyDefinition, SurveyWords, Traits } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ratingFits, ratingsText } from "@afterword/protocol/rating-scale";
import { ApiError } from "../errors/api-error.ts";
import { ConfigurationError, ConnectionError } from "../errors/afterword-error.ts";
import type { CallOptions, Transport } from "../http/transport.ts";

/** The person in front of the agent, as far as they are known. */
export interface Respondent {
  id: string;
  kind: IdentityKind;
  traits: Traits;
}

/** What a person answers. */
export interface Answer {
  /** A whole number on the survey's scale, see `ratingScales`. */
  rating: number;
  /** At most 10,000 characters. */
  text?: string | undefined;
  followUpRequested?: boolean | undefined;
}

/** What the service says about a stored answer. */
export interface StoredAnswer extends Partial<IngestOk> {
  ok: true;
  /** Absent if an earlier request has stored the answer, and the service does not say as what. */
  id?: string;
  /** When it was stored (RFC 3339, UTC); absent together with `id`. */
  at?: string;
}

/** A session-bound token as the minting server hands it over. */
export interface InstalledToken {
  surveyId: string;
  token: string;
  sessionId: string;
  observationId?: string | undefined;
  taskType?: string | undefined;
}

/** One survey that this respondent may be shown now. Ends with one `submit` or one `dismiss`. */
export interface Ask {
  readonly survey: SurveyDefinition;
  /** Whether the rating will be linked to a session. */
  readonly isLinked: boolean;
  /**
   * What the person reads: the question and the end labels in the client's `language`, and, given a rating, the follow-up
   * question and the suggestions for it. A field that a translation lacks is the survey's own (contract, "Extensions").
   */
  words(rating?: number): SurveyWords;
  /** Stores the answer. May be called again after a failure; the token is used up only once. */
  submit(answer: Answer, options?: CallOptions): Promise<StoredAnswer>;
  /** Records that the person declined; they are not asked again. Not possible once `submit` was called. */
  dismiss(options?: CallOptions): Promise<IngestOk>;
}

/** Sends a dismissal. */
export const sendDismissal = (transport: Transport, body: object, options?: CallOptions): Promise<IngestOk> =>
  transport.json("POST /v1/dismissals", { body }, options).then(confirmed).catch(fromService);

/** Sends the answers to one ask. Remembers which ones earlier attempts have stored, or may have. */
export function answerSender(transport: Transport) {
  const tried = new Set<string>();
  return async (body: Answer, options?: CallOptions): Promise<StoredAnswer> => {
    const answer = JSON.stringify([body.rating, body.text]);
    const onRetry = () => void tried.add(answer);
    try {
      const stored = await transport
        .json("POST /v1/sdk/responses", { body, onRetry }, options)
        .then(confirmed)
        .catch((error: unknown) => earlierRecord(error, tried.has(answer)))
        .catch(fromService);
      tried.add(answer);
      return stored;
    } catch (error) {
      if (!ApiError.isInstance(error) || error.retryable) tried.add(answer);
      throw error;
    }
  };
}

/** Throws a `ConfigurationError` for an answer that the service would refuse. */
export function checkAnswer(survey: SurveyDefinition, rating: number, text = ""): void {
  if (!ratingFits(survey, rating)) throw new ConfigurationError(`The rating must be ${ratingsText(survey)}.`);
  // Counted in code points, as the service counts.
  if (text.length > limits.textLength && [...text].length > limits.textLength)
    throw new ConfigurationError(`The text has more than ${limits.textLength} characters.`);
}

/** Accepts only a record id as confirmation; any other 2xx may come from a proxy. */
function confirmed(reply: IngestOk): IngestOk {
  if (reply.ok === true && typeof reply.id === "string") return reply;
  throw new ConnectionError(
    "The reply does not confirm that anything was stored; is baseUrl the service's address?",
  );
}

/** Whether "already used" means used by this answer, which an earlier attempt may have stored (decisions D120, D131). */
function earlierRecord(error: unknown, isTried: boolean): StoredAnswer {
  if (!ApiError.isInstance(error) || error.status !== 409) throw error;
  const existing = error.problem?.existing;
  if (existing?.kind === "dismissal" || !(existing?.isSame ?? isTried)) throw error;
  return existing ? { ok: true, id: existing.id, at: existing.at } : { ok: true };
}

/** A refusal without a JSON object comes from something before the service: the same call may succeed later (decision O47). */
function fromService(error: unknown): never {
  if (!ApiError.isInstance(error) || error.isFromService) throw error;
  throw new ConnectionError(`${error.message}, but not by the service`, { cause: error });
}
