import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey-texts.ts";
import { Face } from "./face.tsx";
import { endLabels, ratingOptions } from "./rating-options.ts";

export interface ScaleProps {
  survey: SurveyDefinition;
  texts: SurveyTexts;
  rating: number | undefined;
  /** Of `digitReader`; one for the life of the view. */
  readDigit: (key: string, timeInMs: number) => number | undefined;
  onRate: (rating: number) => void;
}

/** The question and its ratings: native radios, so that names, arrows and the one tab stop come from the browser. */
export function Scale({ survey, texts, rating, readDigit, onRate }: ScaleProps) {
  const { type, question } = survey;
  const onKeyDown = (event: KeyboardEvent & { currentTarget: Element }) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const digit = readDigit(event.key, event.timeStamp);
    // The click chooses as the person's own would; moving the focus lets the arrows go on from there.
    const radio = event.currentTarget.querySelector<HTMLInputElement>(`[value="${digit}"]`);
    radio?.focus();
    radio?.click();
  };
  return (
    <fieldset onKeyDown={onKeyDown}>
      <legend part="question">{question}</legend>
      <div class={`scale ${type}`} part="scale">
        {ratingOptions(survey, texts).map((option) => (
          <label key={option.rating}>
            <input
              type="radio"
              name="rating"
              value={option.rating}
              checked={option.rating === rating}
              aria-label={option.name}
              aria-description={option.description}
              onChange={() => onRate(option.rating)}
            />
            <span aria-hidden="true" part="option">
              {type === "csat" ? <Face rating={option.rating} /> : option.name}
            </span>
          </label>
        ))}
      </div>
      {type !== "pmf" && (
        <div class="ends" aria-hidden="true" part="labels">
          {endLabels(survey, texts).map((label) => (
            <span key={label}>{label}</span>
          ))}
        </div>
      )}
    </fieldset>
  );
}
