/** @jsxImportSource preact */
import { render } from "preact";
import type { SubmitResult } from "../core/public/index.ts";
import { Card } from "./card.tsx";
import type { SpokenView, WordedSurvey } from "./scale.tsx";
import { glide, keepInPlace } from "./play.ts";
import { advance, answerOf, type Flow, type FlowEvent } from "./survey-flow.ts";

const inWords = (view: SpokenView, rating?: number): WordedSurvey => ({
  ...view.survey,
  suggestions: undefined,
  ...view.words?.(rating),
});

/** Turns the person's actions into steps of the flow; draws and reports each step. */
export function surveyScreen(
  view: SpokenView,
  root: ShadowRoot,
  onSettled: (result: SubmitResult) => void,
  onClosed: () => void,
) {
  let flow: Flow = { ...view.draft, stage: "asking" };
  const survey = () => inWords(view, flow.rating);
  // The question and its end labels stay as they are.
  const { question, endLabels } = survey();
  /** Takes a step; errors never reach the host page. */
  const act = (event: FlowEvent) =>
    tryOrReport(view.reportError, () => {
      const before = flow;
      flow = advance(flow, event);
      if (flow !== before) follow(before);
    });
  const renderCard = (announcement: string) => {
    const worded = { ...survey(), question, endLabels };
    render(<Card view={view} survey={worded} flow={flow} announcement={announcement} act={act} />, root);
    return root.querySelector("section")!;
  };
  const card = renderCard("");
  const follow = (before: Flow) => {
    const { stage, isWarned } = flow;
    if (stage === "closed") {
      if (before.stage === "asking") view.dismiss();
      return onClosed();
    }
    const button = root.querySelector<HTMLElement>("[part=close]")!;
    if (isWarned) return glide(card, () => keepInPlace(button, () => draw("")));
    button.style.translate = "";
    announce("");
    const answer = answerOf(flow, survey(), view.askFollowUp);
    if (stage === "asking") {
      if (flow.rating !== before.rating) view.rate(flow.rating!);
      view.saveDraft(answer);
    } else if (stage === "sending") {
      void view.submit(answer, act).then(act);
    } else onSettled(stage);
  };
  const draw = (announcement: string) => {
    const focused = root.activeElement;
    renderCard(announcement);
    // What had the focus is gone or hidden now; without this the focus would fall to the body.
    if (focused && (!root.activeElement || focused.closest("[hidden]"))) card.focus();
  };
  /** Screen readers say it; the focus stays. */
  const announce = (announcement: string) => glide(card, () => draw(announcement));
  return { act, announce };
}

/** Runs an action and reports its errors, which must never reach the host page. */
export function tryOrReport(reportError: (error: unknown) => void, action: () => void): void {
  try {
    action();
  } catch (error) {
    reportError(error);
  }
}
