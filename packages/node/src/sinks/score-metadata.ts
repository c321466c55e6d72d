import type { DeliverableScore } from "../scores/sink.ts";

/** What a score says besides its value, for services that keep anything as metadata. */
export const scoreMetadata = (score: DeliverableScore) => ({
  surveyId: score.surveyId,
  surveyType: score.surveyType,
  normalised: score.normalised,
  taskType: score.taskType,
  sessionId: score.sessionId,
  observationId: score.observationId,
  at: score.at,
});
