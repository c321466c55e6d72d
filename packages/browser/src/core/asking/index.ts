export { createCandidate, type Candidate, type Refuse, type SurveyRequest } from "./candidate.ts";
export type { Inline } from "./inline-surveys.ts";
export type { CloseReason, OpenSurveys } from "./open-surveys.ts";
export { isRemoved } from "./find-place.ts";
