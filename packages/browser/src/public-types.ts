// What both `@afterword/browser` and `@afterword/browser/headless` export.
export type {
  AboutSurvey,
  Afterword,
  AfterwordEventName,
  AfterwordEvents,
  AfterwordListener,
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  NotShownReason,
  RatedRun,
  RateOptions,
  RunVote,
  RunWithTokens,
  SubmitResult,
  SurveyActions,
  SurveyAnswer,
  SurveyDraft,
  Vote,
  VoteState,
} from "./core/public/index.ts";
export type { Page } from "./core/page/index.ts";
export type { HeadlessAfterword, HeadlessSurvey } from "./headless/open-headless.ts";
export type { SurveyDefinition, SurveyType, SurveyWords, Traits } from "@afterword/protocol";
export type { TargetingOperator, TargetingRule } from "@afterword/protocol";
