import type { BootstrapReply, SurveyDefinition, Traits } from "@afterword/protocol";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import { surveyWords } from "@afterword/protocol/survey-words";
import { whyNotTargeted } from "@afterword/protocol/targeting";
import { whyNotShown } from "@afterword/protocol/why-not-shown";
import { ConfigurationError, ConnectionError } from "../errors/afterword-error.ts";
import { ownVariables } from "../http/environment-fetch.ts";
import { createTransport, type CallOptions, type Transport } from "../http/transport.ts";
import type { ConnectionOptions } from "../http/transport.ts";
import { answerSender, checkAnswer, sendDismissal } from "./ask.ts";
import type { Ask, InstalledToken, Respondent } from "./ask.ts";
import { checkedPublishableKey } from "../options/checked-option.ts";

/** What `new AfterwordRespondent` takes. */
export interface RespondentOptions extends ConnectionOptions {
  /** Publishable key of the project. Default: the variable `AFTERWORD_PUBLISHABLE_KEY`. */
  publishableKey?: string | undefined;
  /** Id of a known person. Choose ids that cannot be guessed: anyone who knows an id can suppress its surveys. */
  userId?: string | undefined;
  /** Id of the conversation with an unknown person. Default: a random id for the lifetime of this object. */
  conversationId?: string | undefined;
  /** Facts about the person, for targeting. Default none. */
  traits?: Traits | undefined;
  /** BCP 47 tag of the language to ask in, such as `de`. Default: the survey's own words. */
  language?: string | undefined;
}

/** Selects a survey by slug or id; by default the first that may be shown. */
export interface AskWish extends CallOptions {
  slug?: string | undefined;
  surveyId?: string | undefined;
}

/** Why a survey is not shown; the same words as in the browser. `unsupported`: its definition breaks the contract. */
export type NotAskedReason = "unsupported" | "suppressed" | "targeting" | "sampling" | "gated";

/** What was decided about one survey. */
export interface Decision {
  survey: SurveyDefinition;
  /** Present when it may be shown. */
  ask?: Ask;
  /** Present when it must not be shown. */
  reason?: NotAskedReason;
}

/**
 * The public routes for agents without a browser: terminals, chat bots, voice. One object stands for one person or one
 * conversation. Ask only once the task's outcome is confirmed.
 */
export class RespondentClient {
  readonly respondent: Readonly<Respondent>;
  readonly #transport: Transport;
  readonly #publishableKey: string;
  readonly #language: string;
  readonly #installed = new Map<string, InstalledToken>();
  /** Runs that were answered or dismissed, and surveys that were in any run. */
  readonly #asked = new Set<string>();

  constructor(options: RespondentOptions = {}) {
    const { userId, conversationId, traits = {}, language = "" } = options;
    this.#language = language;
    this.#publishableKey = checkedPublishableKey(
      options.publishableKey ?? ownVariables()["AFTERWORD_PUBLISHABLE_KEY"],
    );
    this.respondent =
      userId === undefined
        ? { id: conversationId ?? globalThis.crypto.randomUUID(), kind: "anon-conversation", traits }
        : { id: userId, kind: "identified", traits };
    if (this.respondent.id === "")
      throw new ConfigurationError("userId and conversationId must not be empty.");
    this.#transport = createTransport(options);
  }

  /** Installs a token that the server minted for this person, so that the rating is linked to its session. */
  install(token: InstalledToken): void {
    for (const name of ["surveyId", "token", "sessionId"] as const) {
      if (typeof token[name] === "string" && token[name] !== "") continue;
      throw new ConfigurationError(`install needs ${name}.`);
    }
    this.#installed.set(token.surveyId, token);
  }

  /** Every active survey, with an ask or the reason why it is not shown. */
  async decide(options?: CallOptions): Promise<Decision[]> {
    const definitions = await this.#bootstrap(options);
    return definitions.surveys.map((survey) => {
      const reason = this.#whyNotAsked(survey, definitions);
      if (reason !== undefined) return { survey, reason };
      return { survey, ask: this.#ask(survey, definitions.showTokens?.[survey.id] ?? "") };
    });
  }

  /** The survey to show now; `undefined` if there is none, which is not an error. Linked surveys come first. */
  async nextAsk({ slug, surveyId, ...options }: AskWish = {}): Promise<Ask | undefined> {
    const decisions = await this.decide(options);
    const asks = decisions
      .filter(
        ({ survey }) => (slug === undefined || survey.slug === slug) && (surveyId ?? survey.id) === survey.id,
      )
      .flatMap(({ ask }) => ask ?? []);
    return asks.find(({ isLinked }) => isLinked) ?? asks[0];
  }

  #whyNotAsked(survey: SurveyDefinition, definitions: BootstrapReply): NotAskedReason | undefined {
    if (!isDrawable(survey)) return "unsupported";
    const run = this.#installed.get(survey.id);
    const wasAsked = this.#asked.has(run ? runName(run) : survey.id);
    const isLinked = run !== undefined;
    return (
      whyNotShown(survey, { respondent: this.respondent, definitions, wasAsked, isLinked }) ??
      whyNotTargeted(survey, this.respondent.traits)
    );
  }

  #ask(survey: SurveyDefinition, unboundToken: string): Ask {
    const transport = this.#transport;
    const { id: userId, kind: identityKind, traits } = this.respondent;
    const bound = this.#installed.get(survey.id);
    const { sessionId, observationId, taskType, token = unboundToken }: Partial<InstalledToken> = bound ?? {};
    const common = { key: this.#publishableKey, showToken: token, surveyId: survey.id, userId };
    const person = { identityKind, traits, sessionId, observationId, taskType };
    const send = answerSender(transport);
    let begun: "submit" | "dismiss" | undefined;
    /** A dismissal after a submit could use up the token of an answer that is still on its way. */
    const begin = (end: "submit" | "dismiss") => {
      begun ??= end;
      if (begun === end) return;
      throw new ConfigurationError(`This ask has already begun to ${begun}; it cannot ${end} any more.`);
    };
    const done = <Stored>(stored: Stored): Stored => {
      this.#asked.add(survey.id);
      if (bound) this.#asked.add(runName(bound));
      // The token of a later run may have been installed while this one was asked about.
      if (this.#installed.get(survey.id) === bound) this.#installed.delete(survey.id);
      return stored;
    };
    return {
      survey,
      isLinked: bound !== undefined,
      words: (rating) => surveyWords(survey, this.#language, rating),
      async submit({ rating, text, followUpRequested }, options) {
        checkAnswer(survey, rating, text);
        begin("submit");
        const answer = { rating, text: text || undefined, followUpRequested };
        return done(await send({ ...common, ...answer, ...person }, options));
      },
      async dismiss(options) {
        begin("dismiss");
        return done(await sendDismissal(transport, common, options));
      },
    };
  }

  async #bootstrap(options?: CallOptions): Promise<BootstrapReply> {
    const { id, traits } = this.respondent;
    const body = { key: this.#publishableKey, userId: id, traits };
    const reply = await this.#transport.json("POST /v1/sdk/bootstrap", { body }, options);
    if (Array.isArray(reply.surveys)) return { ...reply, surveys: reply.surveys.filter(Boolean) };
    throw new ConnectionError(
      "POST /v1/sdk/bootstrap was answered without surveys; is baseUrl the service's address?",
    );
  }
}

/** A survey may be asked in each run (`askAgain` of the service): what was asked is a run, not a survey. */
const runName = ({ surveyId, sessionId, observationId }: InstalledToken) =>
  JSON.stringify([surveyId, sessionId, observationId]);
