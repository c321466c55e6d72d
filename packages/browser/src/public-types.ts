// What both `@afterword/browser` and `@afterword/browser/headless` export.
export type { Afterword, AfterwordOptions, ConsentMode } from "./core/public/index.ts";
export type { AfterwordEventName, AfterwordEvents, AfterwordListener } from "./core/public/index.ts";
export type { AboutSurvey, AskOptions, InstalledToken, NotShownReason } from "./core/public/index.ts";
export type { SubmitResult, SurveyActions, SurveyAnswer, SurveyDraft } from "./core/public/index.ts";
export type { RatedRun, RateOptions, RunVote, RunWithTokens, Vote, VoteState } from "./core/public/index.ts";
export type { Page } from "./core/page/index.ts";
export type { HeadlessAfterword, HeadlessSurvey } from "./headless/open-headless.ts";
export type { SurveyDefinition, SurveyType, SurveyWords, Traits } from "@afterword/protocol";
export type { TargetingOperator, TargetingRule } from "@afterword/protocol";
