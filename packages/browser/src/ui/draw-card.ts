import type { SubmitResult, SurveyViewOptions } from "../core/survey/index.ts";
import { directionOf } from "../texts/language-of.ts";
import type { LoadedTexts } from "../texts/load-texts.ts";
import { createElement } from "./create-element.ts";
import { createIcon } from "./create-icon.ts";
import { drawFollowUp, type WordedSurvey } from "./draw-follow-up.ts";
import { drawScale } from "./draw-scale.ts";
import type { Flow, FlowEvent } from "./survey-flow.ts";

/** Icons beside the text after Send, each in the same place. */
const marks: Partial<Record<Flow["stage"], string>> = {
  sending: "M6 11.5v1M12 11.5v1M18 11.5v1",
  stored: "m4 13 5 5L20 6",
  queued: "M12 2.5a9.5 9.5 0 1 0 .01 0zM12 6.5V12l3.5 2.5",
  already: "M12 9v12m0-17v.5",
  refused: "M12 3v12m0 5v.5",
};

export interface Card {
  element: HTMLElement;
  /** @param announcement What screen readers say when the survey does not take the focus. */
  update(flow: Flow, survey: WordedSurvey, announcement: string): void;
}

/** Draws the whole widget. The survey's question and end labels stay; all else may change at each step. */
export function drawCard(
  view: SurveyViewOptions,
  survey: WordedSurvey,
  { texts, language }: LoadedTexts,
  act: (event: FlowEvent) => void,
): Card {
  const scale = drawScale(survey, texts, (rating) => act({ rating }));
  const followUp = drawFollowUp(texts, view.askFollowUp, act);
  const [foot, privacy] = drawFoot(view, texts);
  const form = createElement(
    "form",
    // Once it has scrolled under the close button, that gets a bar.
    { onscroll: () => form.classList.toggle("scrolled", form.scrollTop > 0) },
    scale.element,
    foot,
  ) as HTMLFormElement;
  const status = drawStatus();
  const close = createElement(
    "button",
    { "part": "close", "aria-label": texts.close },
    createIcon("m7 7 10 10M17 7 7 17"),
  );
  const direction = view.direction ?? directionOf(language);
  const element = createElement(
    "section",
    {
      "part": "card",
      "class": look(view, direction),
      "tabindex": -1,
      "aria-label": texts.region,
      "lang": language,
      "dir": direction,
    },
    form,
    status.element,
    close,
  );
  return {
    element,
    update(flow, survey, announcement) {
      const { stage, isWarned, rating } = flow;
      // Only the stages after Send have a text with their name.
      const isOver = stage in texts;
      if (isOver) form.remove();
      scale.update(rating);
      if (rating !== undefined) {
        followUp.update(flow, survey);
        if (!element.matches(".begun")) {
          scale.element.after(...followUp.elements);
          followUp.elements[1]!.prepend(privacy);
          element.classList.add("begun");
        }
      }
      if (isOver) status.say(texts[stage as "sending" | SubmitResult], stage, marks[stage]);
      else if (isWarned) status.say(texts.unsent, "warning");
      else status.say(announcement, "quiet");
    },
  };
}

/** Class names for the card's placement, theme and density. */
function look({ place, theme = "auto", density }: SurveyViewOptions, direction: "ltr" | "rtl"): string {
  const { presentation, corner = direction === "rtl" ? "bottom-left" : "bottom-right", banner } = place;
  // An inline card has no side: `undefined` joins as "".
  const side = { corner, banner, inline: undefined }[presentation];
  return [presentation, side, theme, density].join(" ");
}

/** The line below the ratings, and its privacy link, which moves beside Send. */
function drawFoot({ survey, privacyLink }: SurveyViewOptions, texts: LoadedTexts["texts"]) {
  const privacy =
    privacyLink && /^https?:/.test(privacyLink)
      ? createElement("a", { href: privacyLink, target: "_blank", rel: "noopener" }, texts.privacy)
      : "";
  const badge = survey.showBadge ? createElement("span", { part: "badge" }, texts.badge) : "";
  return [createElement("small", { class: "foot" }, badge, privacy), privacy] as const;
}

/** Screen readers announce only changes to a live region that is already in the page. */
function drawStatus() {
  const words = createElement("span", {});
  const element = createElement("p", { role: "status" }, words);
  return {
    element,
    say(text: string, look: string, mark?: string) {
      element.className = look;
      // Writing the same words again would announce them again.
      if (words.textContent !== text) words.textContent = text;
      element.querySelector("svg")?.remove();
      if (mark) element.prepend(createIcon(mark));
    },
  };
}
