import type { IngestOk, SurveyDefinition } from "@afterword/protocol";
import { ratingFits, ratingScales } from "@afterword/protocol/rating-scale";
import { ApiError } from "../errors/api-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { CallOptions, Transport } from "../http/transport.ts";
import type { Respondent } from "./respondent.ts";

/** What a person answers. */
export interface Answer {
  /** A whole number on the survey's scale, see `ratingScales`. */
  rating: number;
  /** At most 10,000 characters. */
  text?: string;
  followUpRequested?: boolean;
}

/** A session-bound token as the minting server hands it over. */
export interface InstalledToken {
  surveyId: string;
  token: string;
  sessionId: string;
  observationId?: string;
  taskType?: string;
}

/** What an ask is made of. */
export interface AskParts {
  transport: Transport;
  publishableKey: string;
  respondent: Respondent;
  survey: SurveyDefinition;
  showToken: string;
  /** Present when a session-bound token is used. */
  bound?: InstalledToken;
  /** Called once the survey is answered or dismissed for good. */
  onDone: () => void;
}

const longestText = 10_000;

/** One survey that this respondent may be shown now. Ends with one `submit` or one `dismiss`. */
export interface Ask {
  readonly survey: SurveyDefinition;
  /** Whether the rating will be linked to a session. */
  readonly isLinked: boolean;
  /** Stores the answer. May be called again with an answer after it has failed; the token is used up only once. */
  submit(answer: Answer, options?: CallOptions): Promise<IngestOk>;
  /** Stores that the person did not want to answer; they are not asked again. Not possible once submit has begun. */
  dismiss(options?: CallOptions): Promise<IngestOk>;
}

/** The ask of one token. */
export class TokenAsk implements Ask {
  readonly survey: SurveyDefinition;
  readonly isLinked: boolean;
  readonly #parts: AskParts;
  #end: "submit" | "dismiss" | undefined;
  /** Whether an earlier attempt may have stored the answer. */
  #wasUncertain = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
    this.survey = parts.survey;
    this.isLinked = parts.bound !== undefined;
  }

  async submit({ rating, text, followUpRequested }: Answer, options?: CallOptions): Promise<IngestOk> {
    this.#check(rating, text);
    this.#begin("submit");
    const { transport, publishableKey, respondent, showToken, survey, bound } = this.#parts;
    const body = {
      key: publishableKey,
      showToken,
      surveyId: survey.id,
      rating,
      text: text || undefined,
      followUpRequested,
      userId: respondent.id,
      identityKind: respondent.kind,
      traits: respondent.traits,
      sessionId: bound?.sessionId,
      observationId: bound?.observationId,
      taskType: bound?.taskType,
    };
    const input = { body, onUncertainty: () => (this.#wasUncertain = true) };
    try {
      const stored = await transport.json("POST /v1/sdk/responses", input, options);
      this.#parts.onDone();
      return stored;
    } catch (error) {
      const stored = this.#wasUncertain ? ownRecord(error) : undefined;
      if (!stored) {
        // The last attempt has no retry behind it that would tell.
        if (!ApiError.isInstance(error) || error.status >= 500) this.#wasUncertain = true;
        throw error;
      }
      this.#parts.onDone();
      return stored;
    }
  }

  async dismiss(options?: CallOptions): Promise<IngestOk> {
    this.#begin("dismiss");
    const { transport, publishableKey, respondent, showToken, survey } = this.#parts;
    const body = { key: publishableKey, showToken, surveyId: survey.id, userId: respondent.id };
    const stored = await transport.json("POST /v1/dismissals", { body }, options);
    this.#parts.onDone();
    return stored;
  }

  /** A dismissal behind a submit could take the token away from an answer that is still on its way (decision D7). */
  #begin(end: "submit" | "dismiss"): void {
    if (this.#end !== undefined && this.#end !== end) {
      throw new ConfigurationError(`This ask has already begun to ${this.#end}; it cannot ${end} any more.`);
    }
    this.#end = end;
  }

  #check(rating: number, text = ""): void {
    const { type } = this.survey;
    if (!ratingFits(type, rating)) {
      const { min, max } = ratingScales[type];
      throw new ConfigurationError(`The rating must be a whole number from ${min} to ${max}.`);
    }
    // Counted in code points, as the service counts (decision D57).
    if (text.length > longestText && [...text].length > longestText) {
      throw new ConfigurationError(`The text has more than ${longestText} characters.`);
    }
  }
}

/** After an attempt whose outcome nobody knows, "already used" by a response means: by that attempt (decision D10). */
function ownRecord(error: unknown): IngestOk | undefined {
  if (!ApiError.isInstance(error) || error.status !== 409) return undefined;
  const existing = error.problem?.existing;
  return existing?.kind === "response" ? { ok: true, id: existing.id, at: existing.at } : undefined;
}
