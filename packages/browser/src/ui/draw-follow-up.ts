import type { SurveyDefinition } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { SurveyAppearance, SurveyDraft, SurveyTexts } from "../core/survey/index.ts";
import { offersContact } from "./answer-of.ts";
import { createElement } from "./create-element.ts";

/** A survey with the wording that the person sees now. */
export interface WordedSurvey extends Omit<SurveyDefinition, "suggestions"> {
  suggestions?: string[];
}

/** From this length on, a character count is shown. */
const nearLimit = textLength - 500;

/**
 * Draws what follows the choice of a rating: the fields, and the buttons that send the answer. Returns the elements and a
 * function that updates them. What a rating does not need is hidden, because a field that moves loses its undo history.
 */
export function drawFollowUp(
  texts: SurveyTexts,
  askFollowUp: SurveyAppearance["askFollowUp"],
  change: (draft: SurveyDraft) => void,
) {
  const question = createElement("span", { part: "question" });
  const field: HTMLTextAreaElement = createElement("textarea", {
    "rows": 1,
    "part": "text",
    "aria-describedby": "count",
    "oninput": () => change({ text: truncate(field) }),
  });
  // Hidden from the field's name, which would announce it at each key; still its description.
  const count = createElement("small", { "id": "count", "aria-hidden": true });
  const text = createElement("label", { class: "text" }, question, field, count);
  const reasons = createElement("div", { class: "reasons" });
  const box: HTMLInputElement = createElement("input", {
    type: "checkbox",
    onchange: () => change({ followUpRequested: box.checked }),
  });
  const contact = createElement("label", { class: "contact" }, box, texts.followUpRequest);
  const skip = createElement("button", { type: "button", part: "skip" }, texts.skip);
  const send = createElement("button", { part: "send" }, texts.send);
  return {
    elements: [
      createElement("div", { class: "more" }, text, reasons, contact),
      createElement("div", { class: "actions" }, skip, send),
    ],
    update({ rating, text: typed = "", followUpRequested }: SurveyDraft, survey: WordedSurvey) {
      const { followUpQuestion, suggestions = [] } = survey;
      const { length } = [...typed];
      text.hidden = skip.hidden = !followUpQuestion;
      reasons.hidden = !followUpQuestion || !suggestions[0];
      contact.hidden = !offersContact(survey, askFollowUp, rating!);
      question.textContent = followUpQuestion ?? "";
      if (field.value !== typed) field.value = typed;
      // While it is empty, that of the card.
      field.dir = typed && "auto";
      count.textContent = length > nearLimit ? `${length} / ${textLength}` : "";
      box.checked = !!followUpRequested;
      drawReasons(reasons, suggestions, typed);
    },
  };
}

/** Pressing a button makes its value the text. Keeps the buttons while they stay the same, and so their focus. */
function drawReasons(parent: HTMLElement, suggestions: string[], text: string) {
  if ([...parent.children].map(({ textContent }) => textContent).join("\n") !== suggestions.join("\n"))
    parent.replaceChildren(
      ...suggestions.map((reason) => createElement("button", { type: "button", part: "reason" }, reason)),
    );
  for (const button of parent.children as HTMLCollectionOf<HTMLButtonElement>)
    button.value = withReason(text, button.textContent);
}

/** Adds a reason once, if it fits. */
function withReason(text: string, reason: string): string {
  const both = text.trim() ? `${text}, ${reason}` : reason;
  return text.includes(reason) || [...both].length > textLength ? text : both;
}

/** Truncates the text, also in the field, so that the field shows what will be sent. */
function truncate(field: HTMLTextAreaElement): string {
  const points = [...field.value];
  if (points.length > textLength) field.value = points.slice(0, textLength).join("");
  return field.value;
}
