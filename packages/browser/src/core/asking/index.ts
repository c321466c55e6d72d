export type { Asking, Candidate } from "./asking.ts";
export { isRemoved } from "./find-place.ts";
export { requestedSurveys, surveyRequestOf, type Refuse, type SurveyRequest } from "./survey-request.ts";
