import { Client, type AfterwordOptions } from "./client/client.ts";
import { feedbackOfRun } from "./frameworks/feedback-of-run.ts";
import type { FeedbackOptions, GivenRun, RunWithFeedback } from "./frameworks/feedback-of-run.ts";
import { watchAnyRun } from "./frameworks/watch-any-run.ts";
import { environmentFetch } from "./http/environment-fetch.ts";
import { RespondentClient, type RespondentOptions } from "./respondent/respondent-client.ts";
import { type RunReference, runReferenceIn } from "./scores/run-reference.ts";
import { systemClock } from "./options/clock.ts";

// Edge runtimes have no `process`.
const runtime = () => ({
  variables: globalThis.process?.env ?? {},
  fetch: environmentFetch(),
  clock: systemClock,
  random: Math.random,
});

/**
 * The client of a customer's server: `new Afterword({ secretKey, baseUrl })`, or without arguments where
 * `AFTERWORD_SECRET_KEY` and `AFTERWORD_BASE_URL` are set. Runs wherever `fetch` does, except in browsers.
 */
export class Afterword extends Client {
  constructor(options: AfterwordOptions = {}) {
    super(options, { ...runtime(), scope: globalThis });
  }
}

/**
 * The client of one person or one conversation, for agents without a browser: it decides whether to ask and stores the
 * answer. `new AfterwordRespondent({ publishableKey, baseUrl, userId })`.
 */
export class AfterwordRespondent extends RespondentClient {
  constructor(options: RespondentOptions = {}) {
    super(options, { ...runtime(), randomId: () => globalThis.crypto.randomUUID() });
  }
}

/** What `withFeedback` of this entry point takes. */
export interface WithFeedbackOptions<Run> extends FeedbackOptions {
  respondentId: string;
  sessionId: string;
  /**
   * For a result that is read in a way of its own (such as `toReadableStream()`): a promise that rejects, or fulfils with
   * `false`, when the run failed; for example `(run) => run.completed`. Default: `ReadableStream`, `Response` and async
   * iterables are watched while they are read, a result with a `finishReason` (AI SDK) ends with that, and anything else
   * has ended.
   */
  end?: ((result: Awaited<Run>) => PromiseLike<unknown>) | undefined;
}

/**
 * Mints when the run of any agent has ended well. Takes the run, or the promise of it, and returns the same as `result`: a
 * stream, an async iterable or a `Response` is watched while it is read; one that is empty, breaks off or is left early
 * mints nothing. The frameworks have entry points of their own, which know more about their runs.
 */
export function withFeedback<Run extends object>(
  run: GivenRun<Run>,
  options: WithFeedbackOptions<Run>,
): RunWithFeedback<Run> {
  return feedbackOfRun<Run>(run, options, watchAnyRun(options.end));
}

/** Makes an observation id that every sink understands, or reads the active span's with `runReference.current()`. */
export const runReference: RunReference = runReferenceIn(globalThis);

export type { AfterwordOptions, Client, Minted } from "./client/client.ts";
export type { ScoreNameOptions, SurveyMeaning } from "./scores/score-value.ts";
export type { ErasableScore, ErasureOutcome, Sink, SinkExamination } from "./scores/sink.ts";
export {
  AbortError,
  AfterwordError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
} from "./errors/afterword-error.ts";
export { ApiError, type ApiErrorDetails } from "./errors/api-error.ts";
export { ErasureIncompleteError } from "./privacy/erase-everywhere.ts";
export type { Logger } from "./options/logger.ts";
export type { CallOptions, ConnectionOptions } from "./http/transport.ts";
export { askLink, type AskLinkOptions } from "./mint/ask-link.ts";
export {
  createMintHandler,
  type Authorized,
  type MintHandlerOptions,
  type MintHandlerReply,
} from "./mint/mint-handler.ts";
export type { Feedback, FeedbackOptions, RunWithFeedback } from "./frameworks/feedback-of-run.ts";
export type {
  AckSummary,
  PendingScores,
  PendingScoresOptions,
  PendingScoresPage,
} from "./queue/pending-scores.ts";
export type {
  EraseEverywhereOptions,
  EraseEverywhereReport,
  NamedScores,
  SinkErasure,
} from "./privacy/erase-everywhere.ts";
export type {
  EraseAccount,
  EraseRespondent,
  EraseSelector,
  EraseSurvey,
  ExportedResponses,
  ExportSummary,
  Privacy,
} from "./privacy/privacy.ts";
export type { Answer, Ask, InstalledToken, Respondent, StoredAnswer } from "./respondent/ask.ts";
export type {
  AskWish,
  Decision,
  NotAskedReason,
  RespondentClient,
  RespondentOptions,
} from "./respondent/respondent-client.ts";
export type { RunReference, TracedRun } from "./scores/run-reference.ts";
export type { Secret as SecretKey } from "./options/secret.ts";
export type {
  AskLink,
  EraseReply,
  ExportQuery,
  ExportRow,
  HandedOverRun,
  IdentityKind,
  IngestOk,
  MintBody,
  MintReason,
  MintReply,
  PendingScore,
  ScoreResult,
  SurveyDefinition,
  SurveyWords,
  SurveyType,
  Traits,
} from "@afterword/protocol";
