import type { MintBody, MintReply, ScoreResult, SurveyType } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ConnectionError } from "../errors/afterword-error.ts";
import { ownVariables } from "../http/environment-fetch.ts";
import { createTransport, type CallOptions, type Transport } from "../http/transport.ts";
import type { ConnectionOptions } from "../http/transport.ts";
import { pendingScores } from "../queue/pending-scores.ts";
import type { AckSummary, PendingScores, PendingScoresOptions } from "../queue/pending-scores.ts";
import { createPrivacy, type Privacy } from "../privacy/privacy.ts";
import { isObject } from "../options/json.ts";
import { checkedPublishableKey } from "../options/checked-option.ts";
import { bearer, type Secret, secretHeaders } from "../options/secret.ts";
import { type Clock, systemClock } from "../options/clock.ts";
import { checkedSecretKey, refuseBrowser } from "./secret-key.ts";

/** What `new Afterword` takes; each has a variable or a default. */
export interface AfterwordOptions extends ConnectionOptions {
  /** Secret key of the project, or a function that gives it. Default: the variable `AFTERWORD_SECRET_KEY`. */
  secretKey?: Secret | undefined;
}

/** The reply to a mint. */
export interface Minted extends MintReply {
  /** Whether there is no token: the respondent must not be asked now, which is not an error. */
  gated: boolean;
  /**
   * By survey, whether the run is among those that the survey asks about. Only surveys with a token or a reason that says so
   * are listed.
   */
  sampled: Record<string, boolean>;
}

/** By survey; servers without this extension give no reasons. */
const reasonsIn = ({ reason }: MintReply) => Object.entries(Object(reason) as object);

function sampledOf(reply: MintReply): Record<string, boolean> {
  const sampled = Object.fromEntries(Object.keys(reply.tokens).map((surveyId) => [surveyId, true]));
  for (const [surveyId, why] of reasonsIn(reply)) {
    if (why === "not_sampled") sampled[surveyId] = false;
    if (why === "gated" || why === "maximum") sampled[surveyId] = true;
  }
  return sampled;
}

/** The surveys of a mint that the project does not have. */
export const unknownSurveys = (reply: MintReply): string[] =>
  reasonsIn(reply).flatMap(([surveyId, why]) => (why === "survey_unknown" ? [surveyId] : []));

/** For developers, to whom a mistyped id would look like a person who must not be asked now. */
export const unknownSurveyMessage = (surveyId: string) =>
  `no survey of this project has the id ${JSON.stringify(surveyId)}, so nothing was minted. ` +
  "Check surveyId against the surveys that the service is configured with.";

/** Rejects the reply of another kind of server here, before it causes a TypeError elsewhere. */
function checkShape(isWhole: boolean, call: string, part: string): void {
  if (!isWhole) throw new ConnectionError(`${call} was answered without a valid \`${part}\``);
}

/** The secret routes as methods. Every method throws an `AfterwordError`; nothing is sent with an impossible key. */
export class Client {
  readonly #transport: Transport;
  /** Without the secret key, which must not be sent on public routes. */
  readonly #publicTransport: Transport;
  readonly #warn: (message: string) => void;
  readonly #warnedSurveys = new Set<string>();
  /** Export and erasure for requests of data subjects. */
  readonly privacy: Privacy;

  constructor(options: AfterwordOptions, clock: Clock = systemClock) {
    refuseBrowser();
    const secretKey = options.secretKey ?? ownVariables()["AFTERWORD_SECRET_KEY"];
    const headers = secretHeaders(secretKey, "secretKey", bearer, checkedSecretKey);
    this.#transport = createTransport(options, headers);
    this.#publicTransport = createTransport(options);
    this.privacy = createPrivacy(this.#transport, clock);
    this.#warn = (message) => (options.logger ?? console).warn(message);
  }

  /**
   * Mints session-bound show-tokens once an agent's task has ended well.
   * `respondentId` and `sessionId` must come from the server's own knowledge, never from a page. Warns once, on the console
   * unless there is a `logger`, for a `surveyId` that the project does not have.
   */
  async mint(body: MintBody, options?: CallOptions): Promise<Minted> {
    const reply = await this.#transport.json("POST /v1/sdk/tokens", { body }, options);
    checkShape(isObject(reply.tokens), "POST /v1/sdk/tokens", "tokens");
    this.#warnOf(unknownSurveys(reply));
    return { ...reply, gated: Object.keys(reply.tokens).length === 0, sampled: sampledOf(reply) };
  }

  #warnOf(surveys: readonly string[]): void {
    for (const surveyId of surveys) {
      if (this.#warnedSurveys.has(surveyId)) continue;
      this.#warnedSurveys.add(surveyId);
      this.#warn(`@afterword/node: ${unknownSurveyMessage(surveyId)}`);
    }
  }

  /**
   * The type of each active survey by its id, looked up with the publishable key. A forwarder with a `publishableKey`
   * calls this to give scores their meaning.
   */
  async surveyTypes(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>> {
    const body = { key: checkedPublishableKey(publishableKey) };
    const { surveys } = await this.#publicTransport.json("POST /v1/sdk/bootstrap", { body }, options);
    checkShape(Array.isArray(surveys) && surveys.every(isObject), "POST /v1/sdk/bootstrap", "surveys");
    return Object.fromEntries(surveys.map(({ id, type }) => [id, type]));
  }

  /** The scores that wait to be delivered, oldest first. Their texts are personal data. */
  pendingScores(options?: PendingScoresOptions): PendingScores {
    return pendingScores(this.#transport, options);
  }

  /** Marks any number of scores as delivered or failed, in chunks of 200; safe to repeat. What was sent before a failure stays. */
  async ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary> {
    let updated = 0;
    for (let from = 0; from < results.length; from += limits.results) {
      const body = { results: results.slice(from, from + limits.results) };
      updated += (await this.#transport.json("POST /v1/sdk/pending-scores/ack", { body }, options)).updated;
    }
    return { updated };
  }
}
