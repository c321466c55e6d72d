import type { PendingScore, SurveyType } from "@afterword/protocol";
import { normalisedRating, ratingFits, ratingLabel, ratingScales } from "@afterword/protocol/rating-scale";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { DeliverableScore } from "./sink.ts";

/** Every score's name at the sinks, unless the `surveys` map gives another. A changed name is a second score. */
export const defaultScoreName = "afterword.rating";

/** What one survey asks: its type, or its type and the name that its scores carry. */
export type SurveyMeaning = SurveyType | { type?: SurveyType; name?: string };

/**
 * What becomes of the person's own words, which are personal data: kept, left out, or passed through a function that
 * answers what may leave (`null` for nothing).
 */
export type TextPolicy = "include" | "omit" | ((text: string) => string | null | Promise<string | null>);

export interface ScoreValueOptions {
  /** By survey id. A survey that is not listed is delivered as `afterword.rating`. */
  surveys?: Readonly<Record<string, SurveyMeaning>>;
  /** Types known from elsewhere, for example from bootstrap; asked only for what `surveys` does not say. */
  surveyType?: (surveyId: string) => SurveyType | undefined | Promise<SurveyType | undefined>;
  /** Default `"omit"`. */
  text?: TextPolicy;
}

/**
 * Makes the function that gives a row of the queue its meaning. Throws a `ConfigurationError` for options that could only
 * fail later, row by row; what it returns throws only when a redacting function of the caller's does.
 */
export function scoreValue(
  options: ScoreValueOptions = {},
): (row: PendingScore) => Promise<DeliverableScore> {
  const read = scoreReader(options);
  return async (row) => read(row);
}

/** As `scoreValue`, but answers at once where nothing has to be waited for: a queue may hold a million rows. */
export function scoreReader(
  options: ScoreValueOptions = {},
): (row: PendingScore) => DeliverableScore | Promise<DeliverableScore> {
  const { surveys = {}, surveyType = () => undefined, text = "omit" } = options;
  const meanings = new Map(Object.entries(surveys).map(([id, meaning]) => [id, readMeaning(id, meaning)]));
  if (typeof text !== "function" && text !== "include" && text !== "omit") {
    throw new ConfigurationError('`text` must be "include", "omit" or a function that redacts.');
  }
  return (row) => {
    const meaning = meanings.get(row.surveyId);
    const name = meaning?.name ?? defaultScoreName;
    const type = meaning?.type ?? surveyType(row.surveyId) ?? null;
    const words = textUnder(text, row);
    if (!isPromise(type) && !isPromise(words)) return readScore(row, name, type, words);
    return Promise.all([type, words]).then(([known, left]) => readScore(row, name, known ?? null, left));
  };
}

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

function readScore(
  row: PendingScore,
  name: string,
  surveyType: SurveyType | null,
  text: string | null,
): DeliverableScore {
  const rating = row.rating ?? null;
  // A rating off its survey's scale has no place on it: the raw value alone is true then.
  const hasPlace = surveyType !== null && rating !== null && ratingFits(surveyType, rating);
  return {
    id: row.id,
    surveyId: row.surveyId,
    at: row.at,
    sessionId: row.sessionId ?? null,
    observationId: row.observationId ?? null,
    rating,
    text,
    taskType: row.taskType ?? null,
    name,
    surveyType,
    normalised: hasPlace ? normalisedRating(surveyType, rating) : null,
    label: hasPlace ? (ratingLabel(surveyType, rating) ?? null) : null,
  };
}

function readMeaning(id: string, meaning: SurveyMeaning): { type?: SurveyType; name?: string } {
  const { type, name } = typeof meaning === "string" ? { type: meaning, name: undefined } : meaning;
  if (type !== undefined && !Object.hasOwn(ratingScales, type)) {
    throw new ConfigurationError(
      `Survey ${id} has the type ${type}; it must be one of ${Object.keys(ratingScales).join(", ")}.`,
    );
  }
  if (name !== undefined && !/^[\w.:/ -]{1,128}$/.test(name)) {
    throw new ConfigurationError(
      `The score name of survey ${id} must be 1 to 128 letters, digits, spaces or any of . _ - : /`,
    );
  }
  return { type, name };
}

function textUnder(policy: TextPolicy, { id, text }: PendingScore): string | null | Promise<string | null> {
  if (text === null || text === undefined || policy === "omit") return null;
  return policy === "include" ? text : redacted(policy, id, text);
}

async function redacted(
  policy: (text: string) => string | null | Promise<string | null>,
  id: string,
  text: string,
): Promise<string | null> {
  try {
    return (await policy(text)) ?? null;
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- a redactor's error is likely to quote what it could not redact
    throw new Error(
      `Redacting the text of score ${id} failed: ${error instanceof Error ? error.name : "Error"}`,
    );
  }
}
