import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey-texts.ts";
import { Icon } from "./icon.tsx";
import { ratingOptions } from "./rating-options.ts";

/** Five faces, from very dissatisfied to very satisfied: drawn, so that they look the same everywhere. */
const mouths = ["8 17q4-4 8 0", "8.5 16.5q3.5-2 7 0", "8.5 16h7", "8.5 15q3.5 2.5 7 0", "7.5 14q4.5 6 9 0z"];

export interface ScaleProps {
  survey: SurveyDefinition;
  texts: SurveyTexts;
  rating: number | undefined;
  onRate: (rating: number) => void;
}

/** The question and its ratings: native radios, so that names, arrows and the one tab stop come from the browser. */
export function Scale({ survey, texts, rating: chosen, onRate }: ScaleProps) {
  const { type, question } = survey;
  const options = ratingOptions(survey, texts);
  const isFace = type === "csat";
  const isWord = type === "pmf";
  return (
    <fieldset>
      <legend part="question">{question}</legend>
      <div class={type} part="scale">
        {options.map(({ rating, word }) => (
          <label>
            <input
              type="radio"
              name="rating"
              aria-label={isFace ? `${rating} – ${word}` : isWord ? word : `${rating}`}
              aria-description={isFace || isWord ? undefined : word}
              value={rating}
              checked={rating === chosen}
              onChange={() => onRate(rating)}
            />
            <span part="option" aria-hidden="true">
              {isFace ? (
                <Icon path={`M9 9.5v.5M15 9.5v.5M${mouths[rating - 1]}`} isRound />
              ) : isWord ? (
                word
              ) : (
                rating
              )}
            </span>
          </label>
        ))}
      </div>
      {!isWord && (
        <div class="ends" part="labels" aria-hidden="true">
          <span>{options[0]!.word}</span>
          <span>{options.at(-1)!.word}</span>
        </div>
      )}
    </fieldset>
  );
}
