export type { Candidate, Refuse, SurveyRequest } from "./candidate.ts";
export { createCandidate, requestedSurveys, requestOf } from "./candidate.ts";
export type { CloseReason, OpenSurveys } from "./open-surveys.ts";
export { isRemoved } from "./find-place.ts";
