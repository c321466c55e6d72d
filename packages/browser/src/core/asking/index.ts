export type { OpenSurveys, Candidate } from "./open-surveys.ts";
export { isRemoved } from "./find-place.ts";
export type { Refuse, SurveyRequest } from "./survey-request.ts";
