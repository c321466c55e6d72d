import { type DeliverableScore } from "@afterword/node/forwarder";

/** A rating of a moment ago; what a test is about is given. */
export const aRating = (parts: Partial<DeliverableScore> & { id: string }): DeliverableScore => ({
  surveyId: "srv_csat",
  at: new Date().toISOString(),
  sessionId: "session-1",
  observationId: null,
  rating: 4,
  text: "Found it at once",
  taskType: "search",
  name: "afterword.rating",
  surveyType: "csat",
  normalised: 0.75,
  label: "satisfied",
  ...parts,
});
