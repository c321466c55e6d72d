export type { SurveyTexts, ThumbsTexts } from "./survey-texts.ts";
export type {
  CloseReason,
  LoadWords,
  Settled,
  ShowSurvey,
  SubmitResult,
  SurveyAnswer,
  SurveyAppearance,
  SurveyDraft,
  SurveyPlace,
  SurveyView,
  SurveyViewOptions,
} from "./survey-view.ts";
export { reportUnknownLanguage, wordsOfSurvey, type LanguageContext } from "./words-of-survey.ts";
