export type { Asking, Candidate } from "./asking.ts";
export { isRemoved } from "./find-place.ts";
export type { Refuse, SurveyRequest } from "./survey-request.ts";
