import type { SubmitResult, SurveyDraft } from "../core/survey-view.ts";

/** Where one ask stands. What the person has begun may change as long as the stage is `asking`. */
export interface Flow extends SurveyDraft {
  stage: "asking" | "underway" | SubmitResult | "closed";
  /** The person was told that closing loses the text, and has changed nothing since. */
  isWarned?: boolean;
}

/** What the person changes or presses, or what became of the answer. */
export type FlowEvent = SurveyDraft | "send" | "skip" | "close" | SubmitResult;

/** Rating, follow-up, thanks: one pure step. An event that makes no sense at this stage gives the flow back as it is. */
export function advance(flow: Flow, event: FlowEvent): Flow {
  const { stage, rating } = flow;
  if (event === "close") {
    const losesText = stage === "asking" && !!flow.text?.trim();
    return losesText && !flow.isWarned ? { ...flow, isWarned: true } : { ...flow, stage: "closed" };
  }
  if (stage === "asking") {
    if (typeof event === "object") return { ...flow, ...event, isWarned: undefined };
    // Nothing is sent without a rating: the service stores no answer that has none.
    if (rating === undefined) return flow;
    if (event === "send") return { ...flow, stage: "underway", isWarned: undefined };
    if (event === "skip") return { stage: "underway", rating };
  } else if (/^(under|queu)/.test(stage) && /^(stor|queu|refus)ed$/.test(event as string)) {
    return { ...flow, stage: event as SubmitResult };
  }
  return flow;
}
