import type { PendingScore, SurveyType } from "@afterword/protocol";
import { normalisedRating, ratingFits, ratingLabel, ratingScales } from "@afterword/protocol/rating-scale";
import { errorName } from "../errors/error-name.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import type { CallOptions } from "../http/transport.ts";
import type { Clock } from "../options/clock.ts";
import { type Logger, silentLogger } from "../options/logger.ts";
import { checkedPublishableKey } from "../options/checked-option.ts";
import type { DeliverableScore, Sink } from "./sink.ts";

/** What one survey asks: its type, or its type and the name that its scores carry. */
export type SurveyMeaning = SurveyType | { type?: SurveyType; name?: string };

/**
 * What happens to the text, which is personal data: included, omitted, or passed through a function that returns what may
 * be delivered (`null` for nothing).
 */
export type TextPolicy = "include" | "omit" | ((text: string) => string | null | Promise<string | null>);

/** Names of scores at the sinks. At most sinks, a changed name is a second score. */
export interface ScoreNameOptions {
  /** What each survey asks, by survey id. */
  surveys?: Readonly<Record<string, SurveyMeaning>> | undefined;
  /**
   * One name for the scores of all surveys that `surveys` does not name. Default a name for each: `afterword.` and the
   * survey's id, so that no service averages a score of 0 to 10 with one of 1 to 5.
   */
  scoreName?: string | undefined;
}

/** What `scoreValue` takes: the names of scores, and whether people's own words go along. */
export interface ScoreValueOptions extends ScoreNameOptions {
  /** Default `"omit"`. */
  text?: TextPolicy | undefined;
}

/**
 * Creates the function that gives a score of the queue its meaning. Throws a `ConfigurationError` for invalid options; the
 * returned function throws only if the caller's redaction function does.
 */
export function scoreValue(
  options: ScoreValueOptions = {},
  lookUpType?: (surveyId: string) => Promise<SurveyType | undefined>,
): (score: PendingScore) => Promise<DeliverableScore> {
  const { surveys = {}, scoreName, text = "omit" } = options;
  checkName(scoreName, "The score name");
  const meanings = new Map(Object.entries(surveys).map(([id, meaning]) => [id, readMeaning(id, meaning)]));
  if (typeof text !== "function" && text !== "include" && text !== "omit") {
    throw new ConfigurationError('`text` must be "include", "omit" or a function that redacts.');
  }
  return async (score) => {
    const type = meanings.get(score.surveyId)?.type ?? lookUpType?.(score.surveyId);
    const [known = null, words] = await Promise.all([type, textUnder(text, score)]);
    return readScore(score, scoreNameOf(score.surveyId, options), known, words);
  };
}

/** The options of a forwarder that decide what its sink receives for a score. */
export interface ScorePreparerOptions extends ScoreValueOptions {
  client: {
    surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
  };
  sink: Pick<Sink, "textByDefault">;
  publishableKey?: string | undefined;
  logger?: Logger | undefined;
  clock: Clock;
}

/** The same for a forwarder, which may look up a survey's type at the service. The signal cancels look-ups. */
export const scorePreparer = (options: ScorePreparerOptions, signal: AbortSignal) =>
  scoreValue(
    { ...options, text: options.text ?? options.sink.textByDefault },
    surveyTypeLookup(options, signal),
  );

/** Milliseconds between two look-ups while a survey is unknown; a deleted survey stays unknown. */
const reloadEveryInMs = 300_000;

/**
 * Makes a look-up of a survey's type at the service, which asks once for all; `undefined` without a publishable key. A
 * failed one holds nothing up: the score is then delivered without its meaning, under the same name, since a changed name
 * would be a second score.
 */
function surveyTypeLookup(
  { client, publishableKey, clock, logger = silentLogger }: ScorePreparerOptions,
  signal: AbortSignal,
) {
  if (publishableKey === undefined) return undefined;
  const key = checkedPublishableKey(publishableKey);
  if (!client.surveyTypes)
    throw new ConfigurationError("publishableKey needs a client that can look up survey types.");
  const types = new Map<string, SurveyType>();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function loadAll(): Promise<void> {
    try {
      for (const [id, type] of Object.entries(await client.surveyTypes!(key, { signal })))
        types.set(id, type);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : "look-up failed";
      logger.warn(`could not load survey types: ${reason}`);
    } finally {
      loadedAt = clock.now();
      loading = undefined;
    }
  }

  return async (surveyId: string): Promise<SurveyType | undefined> => {
    const isDue = loading !== undefined || clock.now() - loadedAt >= reloadEveryInMs;
    if (!types.has(surveyId) && isDue) await (loading ??= loadAll());
    return types.get(surveyId);
  };
}

/** The name of a survey's scores if neither `surveys` nor `scoreName` sets one. */
export const defaultScoreName = (surveyId: string) => `afterword.${surveyId}`;

/** The name under which the scores of a survey are delivered. */
export function scoreNameOf(surveyId: string, { surveys = {}, scoreName }: ScoreNameOptions): string {
  const meaning = Object.hasOwn(surveys, surveyId) ? surveys[surveyId] : undefined;
  const given = typeof meaning === "object" ? meaning.name : undefined;
  return given ?? scoreName ?? defaultScoreName(surveyId);
}

/** Which thumb a rating is, in a survey of thumbs. */
function thumbOf({ thumbs, rating }: PendingScore): "up" | "down" | undefined {
  const { min, max } = ratingScales.csat;
  if (thumbs !== true || (rating !== min && rating !== max)) return undefined;
  return rating === max ? "up" : "down";
}

function readScore(
  score: PendingScore,
  name: string,
  knownType: SurveyType | null,
  text: string | null,
): DeliverableScore {
  const rating = score.rating ?? null;
  const thumbs = thumbOf(score);
  const surveyType = thumbs ? "csat" : knownType;
  // A rating outside its survey's scale has only its raw value.
  const hasPlace = surveyType !== null && rating !== null && ratingFits({ type: surveyType }, rating);
  return {
    id: score.id,
    surveyId: score.surveyId,
    at: score.at,
    sessionId: score.sessionId ?? null,
    observationId: score.observationId ?? null,
    rating,
    text,
    taskType: score.taskType ?? null,
    run: score.run ?? null,
    name,
    surveyType,
    normalised: hasPlace ? normalisedRating(surveyType, rating) : null,
    label: thumbs ?? (hasPlace ? (ratingLabel(surveyType, rating) ?? null) : null),
    ...(thumbs && { thumbs }),
  };
}

function readMeaning(id: string, meaning: SurveyMeaning): { type?: SurveyType; name?: string } {
  const { type, name } = typeof meaning === "string" ? { type: meaning, name: undefined } : meaning;
  if (type !== undefined && !Object.hasOwn(ratingScales, type)) {
    throw new ConfigurationError(
      `Survey ${id} has the type ${type}; it must be one of ${Object.keys(ratingScales).join(", ")}.`,
    );
  }
  checkName(name, `The score name of survey ${id}`);
  return { type, name };
}

function checkName(name: string | undefined, what: string): void {
  if (name === undefined || /^[\w.:/ -]{1,128}$/.test(name)) return;
  throw new ConfigurationError(`${what} must be 1 to 128 letters, digits, spaces or any of . _ - : /`);
}

async function textUnder(policy: TextPolicy, { id, text }: PendingScore): Promise<string | null> {
  if (text === null || text === undefined || policy === "omit") return null;
  if (policy === "include") return text;
  try {
    return (await policy(text)) ?? null;
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- a redactor's error is likely to quote what it could not redact
    throw new Error(`Redacting the text of score ${id} failed: ${errorName(error)}`);
  }
}
