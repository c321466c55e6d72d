import type { SubmitResult, SurveyAnswer } from "../core/survey-view.ts";

/** Where one ask stands. Rating, text and box may change as long as the stage is `asking`. */
export interface Flow {
  stage: "asking" | "sending" | SubmitResult | "closed";
  rating?: number;
  text: string;
  /** Whether the box that asks to be contacted is offered at this rating (decision D118). */
  offersContact: boolean;
  wantsContact: boolean;
}

type EditEvent =
  | { type: "rate"; rating: number; offersContact: boolean }
  | { type: "write"; text: string }
  | { type: "want-contact"; wanted: boolean };

export type FlowEvent =
  | EditEvent
  | { type: "send" }
  | { type: "skip" }
  | { type: "close" }
  | { type: "settle"; result: SubmitResult };

/** What the world must do after a step. */
export type FlowCommand =
  { type: "save-draft" } | { type: "submit"; answer: SurveyAnswer } | { type: "dismiss" };

type Step = [next: Flow, command?: FlowCommand];

/** Rating, follow-up, thanks: one pure step. An event that makes no sense at this stage changes nothing. */
export function advance(flow: Flow, event: FlowEvent): Step {
  const isAsking = flow.stage === "asking";
  if (event.type === "close") {
    // What is sent on closing stands behind the seam: a chosen rating, else the dismissal, and never both.
    return [{ ...flow, stage: "closed" }, isAsking ? { type: "dismiss" } : undefined];
  }
  if (event.type === "settle") return [flow.stage === "sending" ? { ...flow, stage: event.result } : flow];
  if (!isAsking) return [flow];
  if (event.type === "send" || event.type === "skip") return submit(flow, event.type === "send");
  return [edit(flow, event), { type: "save-draft" }];
}

/** The longest text that the contract takes, in code points (decision D57). */
export const textLimit = 10_000;

function edit(flow: Flow, event: EditEvent): Flow {
  if (event.type === "rate") {
    return { ...flow, rating: event.rating, offersContact: event.offersContact };
  }
  if (event.type === "want-contact") return { ...flow, wantsContact: event.wanted };
  // Only a text with many units can have too many code points, and splitting a long one at each key is slow.
  const isLong = event.text.length > textLimit;
  return { ...flow, text: isLong ? [...event.text].slice(0, textLimit).join("") : event.text };
}

/** Nothing is sent without a rating: the service stores no answer that has none. */
function submit(flow: Flow, isWhole: boolean): Step {
  const { rating, text } = flow;
  if (rating === undefined) return [flow];
  const answer: SurveyAnswer = { rating };
  if (isWhole && text.trim()) answer.text = text.trim();
  if (isWhole && flow.offersContact && flow.wantsContact) answer.followUpRequested = true;
  return [
    { ...flow, stage: "sending" },
    { type: "submit", answer },
  ];
}
