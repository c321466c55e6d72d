import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyTexts } from "../core/survey-texts.ts";
import { Icon } from "./icon.tsx";
import { ratingOptions } from "./rating-options.ts";

/** Five faces, from very dissatisfied to very satisfied, drawn so that they look the same everywhere. */
const mouths = [
  "7.5 18q4.5-7 9 0zM7 8l2.5-2M17 8l-2.5-2",
  "7 17q5-5.5 10 0",
  "7.5 16h9",
  "7 14q5 5.5 10 0",
  "6.5 13.5q5.5 8 11 0z",
];

export interface ScaleProps {
  survey: Pick<SurveyDefinition, "type" | "question" | "endLabels">;
  texts: SurveyTexts;
  rating: number | undefined;
  onRate: (rating: number) => void;
}

/** The question and its ratings. Native radios provide names, arrow keys and a single tab stop. */
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
          <label part={rating === chosen ? "option chosen" : "option"}>
            <input
              type="radio"
              name="rating"
              aria-label={isFace ? `${rating} – ${word}` : isWord ? word : `${rating}`}
              aria-description={isFace || isWord ? undefined : word}
              value={rating}
              checked={rating === chosen}
              onChange={() => onRate(rating)}
            />
            <span aria-hidden="true">
              {isFace ? (
                <Icon path={`M12 2.5a9.5 9.5 0 1 0 .01 0zM9 9.5v.5M15 9.5v.5M${mouths[rating - 1]}`} />
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
          {[options[0]!, options.at(-1)!].map(({ rating, word }) => (
            <span>
              <b>{rating} – </b>
              {word}
            </span>
          ))}
        </div>
      )}
    </fieldset>
  );
}
