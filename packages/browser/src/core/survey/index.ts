export type * from "./survey-texts.ts";
export type * from "./survey-view.ts";
export { reportUnknownLanguage, wordsOfSurvey, type LanguageContext } from "./words-of-survey.ts";
