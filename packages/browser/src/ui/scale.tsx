import type { SurveyDefinition } from "@afterword/protocol";
import type { JSX } from "preact";
import type { SurveyTexts } from "../core/survey/index.ts";
import { Icon } from "./icon.tsx";
import { ratingOptions, type RatingOption } from "./rating-options.ts";
import type { FlowEvent } from "./survey-flow.ts";

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

const facePath = (rating: number) => `M12 2.5a9.5 9.5 0 1 0 .01 0zM9 9.5v.5M15 9.5v.5M${mouths[rating - 1]}`;

interface ScaleProps {
  survey: Pick<SurveyDefinition, "type" | "question" | "endLabels">;
  texts: SurveyTexts;
  chosen: number | undefined;
  act: (event: FlowEvent) => void;
}

/** The question and its ratings. */
export function Scale({ survey, texts, chosen, act }: ScaleProps): JSX.Element {
  const { type, question } = survey;
  const options = ratingOptions(survey, texts);
  return (
    <fieldset>
      <legend part="question">{question}</legend>
      <div class={type} part="scale">
        {options.map(({ rating, word }) => (
          <Option
            type={type}
            rating={rating}
            word={word}
            isChosen={rating === chosen}
            onChoose={() => act({ rating })}
          />
        ))}
      </div>
      {type !== "pmf" && <Ends options={options} />}
    </fieldset>
  );
}

interface OptionProps extends RatingOption {
  type: SurveyDefinition["type"];
  isChosen: boolean;
  onChoose: () => void;
}

/** One rating. Native radios provide names, arrow keys and a single tab stop. */
function Option({ type, rating, word, isChosen, onChoose }: OptionProps) {
  const isFace = type === "csat";
  const isWord = type === "pmf";
  return (
    <label part={isChosen ? "option chosen" : "option"}>
      <input
        type="radio"
        name="rating"
        value={rating}
        aria-label={isFace ? `${rating} – ${word}` : isWord ? word : `${rating}`}
        aria-description={isFace || isWord ? undefined : word}
        checked={isChosen}
        onChange={onChoose}
      />
      <span aria-hidden="true">{isFace ? <Icon path={facePath(rating)} /> : isWord ? word : rating}</span>
    </label>
  );
}

/** The words at both ends. Their ratings show only where large text wraps the scale. */
function Ends({ options }: { options: RatingOption[] }) {
  return (
    <div class="ends" part="labels" aria-hidden="true">
      {[options[0]!, options.at(-1)!].map(({ rating, word }) => (
        <span>
          <b>{rating} – </b>
          {word}
        </span>
      ))}
    </div>
  );
}
