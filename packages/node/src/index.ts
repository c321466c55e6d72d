import { Client, type AfterwordOptions } from "./client/client.ts";
import { RespondentClient } from "./respondent/respondent-client.ts";

/**
 * The client of a customer's server: `new Afterword({ secretKey, baseUrl })`, or without arguments where
 * `AFTERWORD_SECRET_KEY` and `AFTERWORD_BASE_URL` are set. Runs wherever `fetch` does, except in browsers.
 * @example
 * const run = { respondentId: "user-17", sessionId: "run-2041", surveyId: "csat" };
 * const { tokens, gated } = await new Afterword().mint(run); // both variables are set
 */
export class Afterword extends Client {
  constructor(options: AfterwordOptions = {}) {
    super(options);
  }
}

/**
 * The client of one person or one conversation, for agents without a browser: it decides whether to ask and stores the
 * answer. `new AfterwordRespondent({ publishableKey, baseUrl, userId })`.
 */
export class AfterwordRespondent extends RespondentClient {}

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
export { withFeedback, type WithFeedbackOptions } from "./frameworks/any-run.ts";
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
export { runReference, type RunReference, type TracedRun } from "./scores/run-reference.ts";
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
