/** @jsxImportSource preact */
import type { SurveyDefinition } from "@afterword/protocol";
import { isThumbs, ratingsOf } from "@afterword/protocol/rating-scale";
import type { JSX } from "preact";
import type { SurveyViewOptions, SurveyTexts } from "../core/public/index.ts";
import type { LoadedTexts } from "../texts/load-texts.ts";
import { Icon } from "./elements.tsx";
import type { Flow, FlowEvent } from "./survey-flow.ts";

/** Eyes and mouths of five faces, from very dissatisfied to very satisfied: each differs in more than one line. */
const faces = [
  "M6.9 8l2.9 1.5M17.1 8l-2.9 1.5M8.9 11.2v.2M15.1 11.2v.2M7.2 17.4q4.8-6.4 9.6 0z",
  "M9 9.4v.8M15 9.4v.8M7.4 17q4.6-5.6 9.2 0",
  "M9 9.4v.8M15 9.4v.8M7.8 15.2h8.4",
  "M9 9v.8M15 9v.8M7.4 13.2q4.6 5.6 9.2 0",
  "M7.2 10.2q1.6-2.6 3.2 0M13.6 10.2q1.6-2.6 3.2 0M7 13.4q5 7.4 10 0z",
];

const circle = "M12 2a10 10 0 1 0 .01 0z";

/** The style sheet turns it for down. */
const thumb = "M2.5 11h3.5v10H2.5zM6 11l4.5-8.5q3 0 2.5 3.5l-.7 4H18q3 0 2.6 3l-1 5.5q-.6 2.5-3 2.5H6";

/** A survey with the wording that the person sees now. */
export interface WordedSurvey extends Omit<SurveyDefinition, "suggestions"> {
  suggestions?: string[];
}

/** A view whose texts have loaded, in the colour scheme of its theme. */
export type SpokenView = Omit<SurveyViewOptions, keyof LoadedTexts> & LoadedTexts & { colorScheme: string };

/** What every part of a survey is drawn from. */
export interface SurveyProps {
  view: SpokenView;
  survey: WordedSurvey;
  flow: Flow;
  act: (event: FlowEvent) => void;
}

/** The question and its ratings. */
export function Scale(props: SurveyProps): JSX.Element {
  const { view, survey } = props;
  const options = ratingOptions(survey, view.texts);
  return (
    <fieldset>
      <legend part="question">{survey.question}</legend>
      <div class={isThumbs(survey) ? "csat thumbs" : survey.type} part="scale">
        {options.map((option) => (
          <Option {...props} {...option} />
        ))}
      </div>
      {survey.type !== "pmf" && <Ends options={options} />}
    </fieldset>
  );
}

/** One rating. Native radios provide names, arrow keys and a single tab stop. */
function Option({ survey, flow, act, rating, word }: SurveyProps & RatingOption) {
  const isThumb = isThumbs(survey);
  const isFace = survey.type === "csat";
  const isWord = survey.type === "pmf";
  const isChosen = rating === flow.rating;
  return (
    <label part={isChosen ? "option chosen" : "option"}>
      <input
        type="radio"
        name="rating"
        value={rating}
        aria-label={isThumb || isWord ? word : isFace ? `${rating} – ${word}` : `${rating}`}
        aria-description={isFace || isWord ? undefined : word}
        checked={isChosen}
        onChange={() => act({ rating })}
      />
      <span aria-hidden="true">
        {isThumb && <Icon path={thumb} />}
        {isFace && !isThumb && <Icon path={circle} over={faces[rating - 1]} />}
        {!isFace && (isWord ? word : rating)}
      </span>
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

/** One radio button: its rating and its label, if any. */
interface RatingOption {
  rating: number;
  word: string | undefined;
}

/** A survey's radio buttons in display order. Its own end labels override those of the language. */
export function ratingOptions(
  survey: Pick<SurveyDefinition, "type" | "thumbs" | "endLabels">,
  texts: SurveyTexts,
): RatingOption[] {
  const ratings = ratingsOf(survey);
  const last = ratings.length - 1;
  const words: readonly string[] = texts[isThumbs(survey) ? "thumbs" : survey.type];
  // Two words label the ends; more label every rating.
  const step = words.length > 2 ? 1 : last;
  const { low, high } = survey.endLabels ?? {};
  const options = ratings.map((rating, at) => ({
    rating,
    word: (at === 0 ? low : at === last ? high : undefined) ?? words[at / step],
  }));
  return survey.type === "pmf" ? options.reverse() : options;
}
