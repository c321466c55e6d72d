import type { MintBody, MintReply, ScoreResult, SurveyType } from "@afterword/protocol";
import { acknowledge, type AckSummary } from "../queue/acknowledge.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { connectionSettings, type ConnectionEnvironment } from "../http/connection-settings.ts";
import type { Logger } from "../options/logger.ts";
import { createTransport, type CallOptions, type Transport } from "../http/transport.ts";
import { pendingScores, type PendingScores, type PendingScoresOptions } from "../queue/pending-scores.ts";
import { createPrivacy, type Privacy } from "../privacy/privacy.ts";
import { checkedPublishableKey } from "../options/publishable-key.ts";
import { checkedSecretKey, refuseBrowser, type RuntimeScope, type SecretKey } from "./secret-key.ts";

export interface AfterwordOptions {
  /** Secret key of the project, or a function that gives it. Default: the variable `AFTERWORD_SECRET_KEY`. */
  secretKey?: SecretKey;
  /** Address of the service, also with a path. Default: the variable `AFTERWORD_BASE_URL`. */
  baseUrl?: string;
  /** Milliseconds until one attempt is given up. Default 10,000. */
  timeout?: number;
  /** Retries after no connection, no answer in time, 408, 425, 429 and 5xx. Default 2. */
  maxRetries?: number;
  /** Default: the runtime's own. */
  fetch?: typeof fetch;
  /** Default: nothing is logged. `console` fits. */
  logger?: Logger;
}

/** What the client takes from the runtime. */
export interface ClientEnvironment extends ConnectionEnvironment {
  scope: RuntimeScope;
}

/** What a mint answers; `gated` is true when the respondent must not be asked now, which is not an error. */
export interface Minted extends MintReply {
  gated: boolean;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Another server's reply must not become an error of the language somewhere behind. */
function checkShape(isWhole: boolean, call: string, part: string): void {
  if (!isWhole)
    throw new ConnectionError(`${call} was answered without \`${part}\`, or with something else there`);
}

/** The secret routes by name. Every method throws an `AfterwordError`; nothing is sent with a key that cannot fit. */
export class Client {
  readonly #transport: Transport;
  /** Without the secret key, which has no business on public routes. */
  readonly #publicTransport: Transport;
  /** Export and erasure for requests of data subjects. */
  readonly privacy: Privacy;

  constructor(options: AfterwordOptions, environment: ClientEnvironment) {
    refuseBrowser(environment.scope);
    const secretKey = options.secretKey ?? environment.variables["AFTERWORD_SECRET_KEY"];
    // A function's key is checked when it comes.
    if (typeof secretKey !== "function") checkedSecretKey(secretKey);
    const settings = connectionSettings(options, environment);
    const headers = async () => {
      const key = typeof secretKey === "function" ? await secretKey() : secretKey;
      return { authorization: `Bearer ${checkedSecretKey(key)}` };
    };
    this.#transport = createTransport({ ...settings, headers });
    this.#publicTransport = createTransport({ ...settings, headers: () => ({}) });
    this.privacy = createPrivacy(this.#transport, environment);
  }

  /**
   * Mints session-bound show-tokens once an agent's task has ended well.
   * `respondentId` and `sessionId` must come from the server's own knowledge, never from a page.
   */
  async mint(body: MintBody, options?: CallOptions): Promise<Minted> {
    const reply = await this.#transport.json("POST /v1/sdk/tokens", { body }, options);
    checkShape(isObject(reply.tokens), "POST /v1/sdk/tokens", "tokens");
    return { ...reply, gated: Object.keys(reply.tokens).length === 0 };
  }

  /**
   * The type of each active survey by its id, for which the service asks for the publishable key. A forwarder with a
   * `publishableKey` gives ratings their meaning by it.
   */
  async surveyTypes(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>> {
    const body = { key: checkedPublishableKey(publishableKey) };
    const { surveys } = await this.#publicTransport.json("POST /v1/sdk/bootstrap", { body }, options);
    checkShape(Array.isArray(surveys) && surveys.every(isObject), "POST /v1/sdk/bootstrap", "surveys");
    return Object.fromEntries(surveys.map(({ id, type }) => [id, type]));
  }

  /** The linked ratings that wait to be pushed, oldest first. They hold what people wrote: personal data. */
  pendingScores(options?: PendingScoresOptions): PendingScores {
    return pendingScores(this.#transport, options);
  }

  /** Marks scores as delivered or failed, in chunks of 200. Safe to repeat. */
  ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary> {
    return acknowledge(this.#transport, results, options);
  }
}
