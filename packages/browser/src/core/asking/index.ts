export { createCandidate } from "./candidate.ts";
export type { Inline } from "./inline-surveys.ts";
export type { OpenSurveys } from "./open-surveys.ts";
export { isRemoved } from "./find-place.ts";
export type { Candidate, Refuse, SurveyRequest } from "./survey-request.ts";
