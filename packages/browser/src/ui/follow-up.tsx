import type { SurveyDefinition } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { SurveyAppearance, SurveyDraft } from "../core/survey-view.ts";
import { answerOf, offersContact } from "./answer-of.ts";
import css from "./follow-up.css?inline";
import { addStyle } from "./host-element.ts";
import { keepInSight } from "./keep-in-sight.ts";
import { hearRatingKeys } from "./rating-keys.ts";
import { keepInSlot } from "./slot.ts";
import type { Flow } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";
import type { Page } from "./top-layer.ts";

/** A survey in the words that the person reads now. */
export interface WordedSurvey extends Omit<SurveyDefinition, "suggestions"> {
  suggestions?: string[];
}

/** The file that is fetched once a survey is shown, or before it if it is not a plain one in a corner. */
export interface FollowUpModule {
  FollowUp: typeof FollowUp;
  arrive: typeof arrive;
  answerOf: typeof answerOf;
  keepInSlot: typeof keepInSlot;
  marks: typeof marks;
  markScrolled: typeof markScrolled;
}

export { answerOf, keepInSlot };

/** From here on the person sees how much is left. */
const nearLimit = textLength - 500;

export interface FollowUpProps extends Pick<LoadedTexts, "texts"> {
  survey: WordedSurvey;
  flow: Flow;
  view: SurveyAppearance;
  act: (draft: SurveyDraft) => void;
}

/** What else the person may say once a rating is chosen, and the buttons that send it. */
export function FollowUp({ survey, flow, texts, view, act }: FollowUpProps) {
  const { followUpQuestion, suggestions } = survey;
  const { text = "", followUpRequested } = flow;
  const { length } = [...text];
  return (
    <>
      <div class="more">
        {followUpQuestion && (
          <label class="text">
            <span part="question">{followUpQuestion}</span>
            <textarea
              rows={3}
              dir="auto"
              part="text"
              value={text}
              aria-describedby="count"
              onInput={({ currentTarget }) => act({ text: shorten(currentTarget) })}
            />
            {/* Hidden, or it would be part of the field's name and heard at each key; it stays its description. */}
            <small id="count" aria-hidden="true">
              {length > nearLimit && `${length} / ${textLength}`}
            </small>
          </label>
        )}
        {followUpQuestion && suggestions?.[0] && (
          <div class="reasons">
            {suggestions.map((reason) => (
              <button type="button" part="reason" value={withReason(text, reason)}>
                {reason}
              </button>
            ))}
          </div>
        )}
        {offersContact(survey, view.askFollowUp, flow.rating!) && (
          <label class="contact">
            <input
              type="checkbox"
              checked={!!followUpRequested}
              onChange={({ currentTarget }) => act({ followUpRequested: currentTarget.checked })}
            />
            {texts.followUpRequest}
          </label>
        )}
      </div>
      <div class="actions">
        {followUpQuestion && (
          <button type="button" part="skip">
            {texts.skip}
          </button>
        )}
        <button part="send">{flow.stage === "underway" ? texts.sending : texts.send}</button>
      </div>
    </>
  );
}

/** Gives a survey that is shown what it can do without for a moment, or for good if this file does not arrive. */
export function arrive(root: ShadowRoot, page: Page, signal: AbortSignal): void {
  addStyle(root, css, page);
  keepInSight(root.host, page, signal);
  hearRatingKeys(root, page, signal);
}

/** Drawn beside what is said of a settled answer; without this file the words stand alone. */
export const marks: Partial<Record<Flow["stage"], string>> = {
  stored: "m4 13 5 5L20 6",
  queued: "M12 2.5a9.5 9.5 0 1 0 .01 0zM12 6.5V12l3.5 2.5",
  refused: "M12 3v12m0 5v.5",
};

/** Tells the style sheet that the question is under the close button. */
export const markScrolled = ({ currentTarget }: { currentTarget: HTMLFormElement }) =>
  currentTarget.classList.toggle("scrolled", currentTarget.scrollTop > 0);

/** The text with a reason, once. A button's value becomes the text when it is pressed. */
function withReason(text: string, reason: string): string {
  const both = text.trim() ? `${text}, ${reason}` : reason;
  return text.includes(reason) || [...both].length > textLength ? text : both;
}

/** Truncates the text, in the field too, so that it shows what will be sent. */
function shorten(field: HTMLTextAreaElement): string {
  const points = [...field.value];
  if (points.length > textLength) field.value = points.slice(0, textLength).join("");
  return field.value;
}
