// What both `@afterword/browser` and `@afterword/browser/headless` export.
export type { Afterword } from "./core/client/index.ts";
export type { Page } from "./core/page/index.ts";
export type {
  AboutSurvey,
  AfterwordEventName,
  AfterwordEvents,
  AfterwordListener,
  NotShownReason,
} from "./core/events/index.ts";
export type {
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  RatedRun,
  RateOptions,
  RunVote,
  RunWithTokens,
  Vote,
  VoteState,
} from "./core/options/index.ts";
export type { HeadlessAfterword, HeadlessSurvey } from "./headless/open-headless.ts";
export type { SubmitResult, SurveyActions, SurveyAnswer, SurveyDraft } from "./core/survey/index.ts";
export type {
  SurveyDefinition,
  SurveyType,
  SurveyWords,
  TargetingOperator,
  TargetingRule,
  Traits,
} from "@afterword/protocol";
