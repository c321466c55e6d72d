import type { SubmitResult, SurveyDraft } from "../core/survey/index.ts";

/** The state of one ask. The person's draft may change while the stage is `asking`. */
export interface Flow extends SurveyDraft {
  stage: "asking" | "sending" | SubmitResult | "closed";
  /** The person was warned that closing loses the text, and has changed nothing since. */
  isWarned?: boolean;
}

/** A change or press by the person, or the outcome of the answer. */
export type FlowEvent = SurveyDraft | "send" | "skip" | "close" | SubmitResult;

/** One pure step: rating, follow-up, thanks. Returns the flow unchanged if the event does not apply at this stage. */
export function advance(flow: Flow, event: FlowEvent): Flow {
  const { stage, rating } = flow;
  if (event === "close") {
    const losesText = stage === "asking" && !!flow.text?.trim();
    return losesText && !flow.isWarned ? { ...flow, isWarned: true } : { ...flow, stage: "closed" };
  }
  if (stage === "asking") {
    if (typeof event === "object") return { ...flow, ...event, isWarned: undefined };
    // The service stores no answer without a rating.
    if (rating === undefined) return flow;
    if (event === "send") return { ...flow, stage: "sending", isWarned: undefined };
    if (event === "skip") return { stage: "sending", rating };
  } else if ((stage === "sending" || stage === "queued") && typeof event === "string") {
    if (event !== "send" && event !== "skip") return { ...flow, stage: event };
  }
  return flow;
}
