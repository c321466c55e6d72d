import type { SurveyDefinition } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { SurveyAppearance, SurveyDraft } from "../core/survey-view.ts";
import { answerOf, offersContact } from "./answer-of.ts";
import css from "./follow-up.css?inline";
import { keepInSlot } from "./slot.ts";
import type { Flow } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

/** A survey in the words that the person reads now. */
export interface WordedSurvey extends Omit<SurveyDefinition, "suggestions"> {
  suggestions?: string[];
}

/** The file that is fetched once a survey is shown, or before it if it is not a plain one in a corner. */
export interface FollowUpModule {
  FollowUp: typeof FollowUp;
  css: string;
  answerOf: typeof answerOf;
  keepInSlot: typeof keepInSlot;
}

export { answerOf, css, keepInSlot };

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
        <button part="send">{flow.stage === "sending" ? texts.sending : texts.send}</button>
      </div>
    </>
  );
}

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
