import { render } from "preact";
import type { SubmitResult, SurveyViewOptions } from "../core/survey-view.ts";
import { Card } from "./card.tsx";
import { withFollowUp } from "./with-follow-up.ts";
import type { FollowUpModule, WordedSurvey } from "./follow-up.tsx";
import { guard } from "./guard.ts";
import { addStyle } from "./host-element.ts";
import { advance, type Flow, type FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";
import type { Page } from "./top-layer.ts";

export interface SurveyScreen {
  /** Takes a step; errors never reach the host page. */
  act: (event: FlowEvent) => void;
  /** Screen readers say it; the focus stays. */
  announce: (text: string) => void;
  hasRating: () => boolean;
}

const inWords = (view: SurveyViewOptions, rating?: number): WordedSurvey => ({
  ...view.survey,
  suggestions: undefined,
  ...view.words?.(rating),
});

/** Turns the person's actions into steps of the flow; draws and reports each step. */
export function surveyScreen(
  view: SurveyViewOptions,
  loaded: LoadedTexts,
  root: ShadowRoot,
  page: Page,
  onSettled: (result: SubmitResult) => void,
  onClosed: () => void,
  signal: AbortSignal,
): SurveyScreen {
  const card = () => root.querySelector("section")!;
  let flow: Flow = { ...view.draft, stage: "asking" };
  const survey = () => inWords(view, flow.rating);
  let followUp: FollowUpModule | undefined;
  let isAlone = false;
  const act = (event: FlowEvent) =>
    guard(view.reportError, () => {
      const before = flow;
      flow = advance(flow, event);
      if (flow !== before) follow(before);
    });
  const follow = (before: Flow) => {
    const { stage, isWarned } = flow;
    if (stage === "closed") {
      if (before.stage === "asking") view.dismiss();
      return onClosed();
    }
    // The reply may come long after the click, and must not shift the content below.
    if (stage === "underway" && view.place.slot)
      addStyle(root, `section{min-height:${card().offsetHeight}px}`, page);
    announce("");
    if (isWarned) return;
    // Only the follow-up file knows which other fields are on screen.
    const answer = followUp?.answerOf(flow, survey(), view.askFollowUp) ?? { rating: flow.rating! };
    if (stage === "asking") {
      if (flow.rating !== before.rating) view.rated(flow.rating!);
      view.saveDraft(answer);
      if (isAlone) act("skip");
    } else if (stage === "underway") {
      void view.submit(answer, act).then(act);
    } else onSettled(stage);
  };
  const announce = (announcement: string) => {
    const focused = root.activeElement;
    const props = { ...loaded, view, survey: survey(), flow, followUp, announcement, act };
    render(<Card {...props} />, root);
    // The pressed button is gone or inert now; without this the focus would fall to the body.
    if (focused && !root.activeElement?.matches(":not([inert] *)")) card().focus();
  };
  const skip = () => {
    isAlone = true;
    act("skip");
  };
  const draw = (file: FollowUpModule) => {
    followUp = file;
    file.arrive(root, page, signal);
    announce("");
  };
  withFollowUp(view, draw, skip);
  return { act, announce, hasRating: () => flow.rating !== undefined };
}
