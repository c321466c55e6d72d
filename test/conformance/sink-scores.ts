import { type DeliverableScore } from "@afterword/node/forwarder";

/** The person's words in every score of the suite; no reason may hold them. */
export const words = "please call Ada on 0170 1234567";

/** A score of a session that every contract's fake knows. */
export const sessionScore = (parts: Partial<DeliverableScore> = {}): DeliverableScore => ({
  id: "019aa000-0000-7000-8000-000000000001",
  surveyId: "srv_csat",
  at: "2026-11-21T08:00:00.000Z",
  sessionId: "session-1",
  observationId: null,
  rating: 4,
  text: words,
  taskType: "search",
  name: "afterword.srv_csat",
  surveyType: "csat",
  normalised: 0.75,
  label: "satisfied",
  run: null,
  ...parts,
});

/** A score of a survey of thumbs. */
export const thumbScore = (thumbs: "up" | "down", parts: Partial<DeliverableScore> = {}): DeliverableScore =>
  sessionScore({
    rating: thumbs === "up" ? 5 : 1,
    normalised: thumbs === "up" ? 1 : 0,
    label: thumbs,
    thumbs,
    ...parts,
  });
