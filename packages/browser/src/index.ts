export { createAfterword } from "./create-afterword.ts";
export { defineSurveyElement } from "./define-survey-element.ts";
export { AfterwordError, type AfterwordErrorCode } from "./core/afterword-error.ts";
export type { Afterword } from "./core/afterword.ts";
export type { Page } from "./core/page.ts";
export type {
  AboutSurvey,
  AfterwordEventName,
  AfterwordEvents,
  AfterwordListener,
  NotShownReason,
} from "./core/events.ts";
export type {
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  RatedRun,
  RateOptions,
  RunWithTokens,
} from "./core/options.ts";
export type { HeadlessAfterword, HeadlessSurvey } from "./open-headless.ts";
export type { SurveyTexts } from "./core/survey-texts.ts";
export type { SubmitResult, SurveyAnswer, SurveyAppearance, SurveyDraft } from "./core/survey-view.ts";
export type {
  SurveyDefinition,
  SurveyType,
  SurveyWords,
  TargetingOperator,
  TargetingRule,
  Traits,
} from "@afterword/protocol";
