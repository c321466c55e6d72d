import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey/index.ts";
import { createElement } from "./create-element.ts";
import { createIcon } from "./create-icon.ts";
import { ratingOptions, type RatingOption } from "./rating-options.ts";

/**
 * The mouths of five faces, from very dissatisfied to very satisfied: each the mirror image of the one at the other end.
 * Only the outer two are open.
 */
const mouths = [
  "7 17q5-7 10 0z",
  "7.4 16.9q4.6-5.2 9.2 0",
  "7.4 15.2h9.2",
  "7.4 13.5q4.6 5.2 9.2 0",
  "7 13.4q5 7 10 0z",
];

type ScaleSurvey = Pick<SurveyDefinition, "type" | "question" | "endLabels">;

/** Draws the question and its ratings. Returns the element and a function that marks the chosen rating. */
export function drawScale(survey: ScaleSurvey, texts: SurveyTexts, onRate: (rating: number) => void) {
  const { type, question } = survey;
  const options = ratingOptions(survey, texts);
  const drawn = options.map((option) => drawOption(type, option, onRate));
  const element = createElement(
    "fieldset",
    {},
    createElement("legend", { part: "question" }, question),
    createElement("div", { class: type, part: "scale" }, ...drawn.map(({ label }) => label)),
  );
  if (type !== "pmf") element.append(drawEnds(options));
  return {
    element,
    update(chosen: number | undefined) {
      for (const { rating, radio, label } of drawn) {
        radio.checked = rating === chosen;
        label.setAttribute("part", rating === chosen ? "option chosen" : "option");
      }
    },
  };
}

/** Native radios provide names, arrow keys and a single tab stop. */
function drawOption(
  type: ScaleSurvey["type"],
  { rating, word }: RatingOption,
  onRate: (rating: number) => void,
) {
  const isFace = type === "csat";
  const isWord = type === "pmf";
  const face = `M12 2.5a9.5 9.5 0 1 0 .01 0zM9 9.5v.5M15 9.5v.5M${mouths[rating - 1]}`;
  const radio = createElement("input", {
    "type": "radio",
    "name": "rating",
    "value": rating,
    "aria-label": isFace ? `${rating} – ${word}` : isWord ? word : rating,
    "aria-description": isFace || isWord ? undefined : word,
    "onchange": () => onRate(rating),
  });
  const mark = createElement(
    "span",
    { "aria-hidden": true },
    isFace ? createIcon(face) : isWord ? word! : `${rating}`,
  );
  return { rating, radio, label: createElement("label", { part: "option" }, radio, mark) };
}

/** The words at both ends. Their ratings show only where large text wraps the scale. */
function drawEnds(options: RatingOption[]) {
  const ends = [options[0]!, options.at(-1)!].map(({ rating, word = "" }) =>
    createElement("span", {}, createElement("b", {}, `${rating} – `), word),
  );
  return createElement("div", { "class": "ends", "part": "labels", "aria-hidden": true }, ...ends);
}
