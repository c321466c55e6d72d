import { type DeliverableScore } from "@afterword/node/forwarder";
import { sessionScore } from "../conformance/sink-scores.ts";

/** A rating of a moment ago; what a test is about is given. */
export const aRating = (parts: Partial<DeliverableScore> & { id: string }): DeliverableScore =>
  sessionScore({ at: new Date().toISOString(), text: "Found it at once", ...parts });
