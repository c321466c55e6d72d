import { render } from "preact";
import { inTime } from "../core/in-time.ts";
import type { SubmitResult, SurveyViewOptions } from "../core/survey-view.ts";
import { Card } from "./card.tsx";
import { fetchFollowUp } from "./follow-up-file.ts";
import type { FollowUpModule, WordedSurvey } from "./follow-up.tsx";
import { guard } from "./guard.ts";
import { addStyle } from "./host-element.ts";
import { advance, answerOf, type Flow, type FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";
import type { Page } from "./top-layer.ts";

export interface SurveyScreen {
  /** One step; an error stays out of the host page. */
  act: (event: FlowEvent) => void;
  /** Said by screen readers without moving there. */
  announce: (text: string) => void;
  hasRating: () => boolean;
}

let followUp: FollowUpModule | undefined;
let fetching: Promise<FollowUpModule> | undefined;

/** Fetches what follows the rating, once for all surveys of the page, while the person reads the question. */
function fetchOnce(
  { loadWords, reportError }: SurveyViewOptions,
  page: Page,
  root: ShadowRoot,
  ready: () => void,
  failed: () => void,
) {
  const draw = (file: FollowUpModule) => {
    addStyle(root, file.css, page);
    ready();
  };
  if (followUp) return draw(followUp);
  fetching ??= inTime(page, fetchFollowUp(loadWords)).then((file) => (followUp = file));
  fetching.then(draw, (error) => {
    fetching = undefined;
    reportError(error, "load_failed");
    failed();
  });
}

/** Turns what the person does into steps of the flow, and each step into a drawing and a report. */
export function surveyScreen(
  view: SurveyViewOptions,
  loaded: LoadedTexts,
  root: ShadowRoot,
  page: Page,
  onSettled: (result: SubmitResult) => void,
  onClosed: () => void,
): SurveyScreen {
  const card = () => root.querySelector("section")!;
  let flow: Flow = { ...view.draft, stage: "asking" };
  const survey = (): WordedSurvey => ({
    ...view.survey,
    suggestions: undefined,
    ...view.words?.(flow.rating),
  });
  let isAlone = false;
  const act = (event: FlowEvent) =>
    guard(view.reportError, () => {
      const before = flow;
      flow = advance(flow, event);
      if (flow !== before) follow(before);
    });
  const follow = (before: Flow) => {
    const { stage, isWarned, ...draft } = flow;
    if (stage === "closed") {
      if (before.stage === "asking") view.dismiss();
      return onClosed();
    }
    // The reply may come long after the press of the button: what follows in the page must not shift then.
    if (stage === "sending" && view.place.slot)
      addStyle(root, `section{min-height:${card().offsetHeight}px}`, page);
    announce("");
    if (isWarned) return;
    if (stage === "asking") {
      if (flow.rating !== before.rating) view.rated(flow.rating!);
      view.saveDraft(draft);
      if (isAlone) act("skip");
    } else if (stage === "sending") {
      void view.submit(answerOf(flow, survey(), view.askFollowUp), act).then(act);
    } else onSettled(stage);
  };
  const announce = (announcement: string) => {
    const focused = root.activeElement;
    const props = { ...loaded, view, survey: survey(), flow, followUp, announcement, act };
    render(<Card {...props} />, root);
    // The button that was pressed is gone or inert now; without this the focus would fall to the body.
    if (focused && !root.activeElement?.matches(":not([inert] *)")) card().focus();
  };
  const skip = () => {
    isAlone = true;
    act("skip");
  };
  fetchOnce(view, page, root, () => announce(""), skip);
  return { act, announce, hasRating: () => flow.rating !== undefined };
}
