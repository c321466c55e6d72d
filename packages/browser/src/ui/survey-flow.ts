import type { SurveyDefinition } from "@afterword/protocol";
import { ratingBounds } from "@afterword/protocol/rating-scale";
import type { SubmitResult, SurveyAnswer, SurveyAppearance, SurveyDraft } from "../core/public/index.ts";

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

type Asked = Pick<SurveyDefinition, "type" | "followUpQuestion">;
type AskFollowUp = SurveyAppearance["askFollowUp"];

/** Whether to offer "may we contact you": by default with the follow-up question of a low rating. */
export function offersContact({ type, followUpQuestion }: Asked, when: AskFollowUp, rating: number) {
  return when === "always" || (when !== "never" && !!followUpQuestion && rating <= ratingBounds[type][2]);
}

/** The answer to send. Text and contact request count only while their field and checkbox are on screen. */
export function answerOf(flow: Flow, survey: Asked, askFollowUp?: AskFollowUp): SurveyAnswer {
  const { rating, text, followUpRequested } = flow;
  return {
    rating: rating!,
    text: (survey.followUpQuestion && text?.trim()) || undefined,
    followUpRequested: (offersContact(survey, askFollowUp, rating!) && followUpRequested) || undefined,
  };
}
