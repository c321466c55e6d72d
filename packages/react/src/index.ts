export {
  AfterwordProvider,
  type AfterwordProviderProps,
  type ReactClient,
  useAfterword,
} from "./afterword-provider.ts";
export { InlineSurvey, type InlineSurveyProps } from "./inline-survey.ts";
export type { HandedOverRun, RunProps } from "./split-run.ts";
export { Thumbs, type ThumbsProps } from "./thumbs.ts";
export { type RunFeedback, useRunFeedback } from "./use-run-feedback.ts";
export { useSurvey } from "./use-survey.ts";
