export { endpoints, type EndpointKey, type PostPath } from "./endpoints.ts";
export {
  methodAndPath,
  problemsOf,
  type Auth,
  type Endpoint,
  type LimitName,
  type ParsedRequestOf,
  type ReplyOf,
  type RequestOf,
} from "./endpoint.ts";
export { type AskLink } from "./ask-link.ts";
export { runDataPart, runMetadataKey, type HandedOverRun } from "./handed-over-run.ts";
export { openApiDocument } from "./openapi.ts";
export {
  type EraseMode,
  type EraseQuery,
  type EraseReply,
  type ExportQuery,
  type ExportReply,
  type ExportRow,
} from "./privacy.ts";
export { problemDocument, type ProblemDocument } from "./problem-document.ts";
export { problems, quotaExceededType, type ProblemCode, type ProblemDefinition } from "./problems.ts";
export {
  isThumbs,
  normalisedRating,
  ratingFits,
  ratingLabel,
  ratingScales,
  ratingsOf,
  ratingsText,
  type RatingScale,
  type SurveyType,
} from "./rating-scale.ts";
export { scopes, type Scope } from "./scopes.ts";
export { type DismissalBody, type IdentityKind, type IngestOk, type ResponseBody } from "./response.ts";
export { type MintedRun, type RunFacts, type ScoredRun } from "./run.ts";
export { samplePosition } from "./sampling.ts";
export {
  type AckBody,
  type AckReply,
  type PendingScore,
  type PendingScoresQuery,
  type Leased,
  type PendingScoresReply,
  type ScoreResult,
} from "./score.ts";
export { identifier, importedPrefix, storableText } from "./strings.ts";
export {
  surveyDefinition,
  targetingRule,
  type SurveyDefinition,
  type SurveyTranslation,
  type TargetingOperator,
  type TargetingRule,
} from "./survey.ts";
export { type Duration } from "./duration.ts";
export { type SurveyWords } from "./survey-words.ts";
export { isTargeted } from "./targeting.ts";
export {
  type BootstrapBody,
  type BootstrapReply,
  type MintBody,
  type MintReason,
  type MintReply,
  type ShownBody,
  type ShownReply,
  type TokenCheck,
  type TokenCheckBody,
  type TokenCheckReply,
} from "./token.ts";
export { traitLimits, type Traits } from "./traits.ts";
