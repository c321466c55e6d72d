import type { SurveyDefinition } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { SurveyAppearance, SurveyDraft } from "../core/survey-view.ts";
import { offersContact } from "./answer-of.ts";
import type { Flow } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

/** A survey with the wording that the person sees now. */
export interface WordedSurvey extends Omit<SurveyDefinition, "suggestions"> {
  suggestions?: string[];
}

/** From this length on, a character count is shown. */
const nearLimit = textLength - 500;

export interface FollowUpProps extends Pick<LoadedTexts, "texts"> {
  survey: WordedSurvey;
  flow: Flow;
  view: SurveyAppearance;
  act: (draft: SurveyDraft) => void;
}

/** The fields that follow the choice of a rating, and the buttons that send the answer. */
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
              // While it is empty, that of the card.
              dir={(text && "auto") as "auto"}
              part="text"
              value={text}
              aria-describedby="count"
              onInput={({ currentTarget }) => act({ text: shorten(currentTarget) })}
            />
            {/* Hidden from the field's name, which would announce it at each key; still its description. */}
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
        <button part="send">{texts.send}</button>
      </div>
    </>
  );
}

/** Icons beside the text after Send, each in the same place. */
export const marks: Partial<Record<Flow["stage"], string>> = {
  sending: "M6 11.5v1M12 11.5v1M18 11.5v1",
  stored: "m4 13 5 5L20 6",
  queued: "M12 2.5a9.5 9.5 0 1 0 .01 0zM12 6.5V12l3.5 2.5",
  already: "M12 9v12m0-17v.5",
  refused: "M12 3v12m0 5v.5",
};

/** Marks a form that has scrolled under the close button. */
export const markScrolled = ({ currentTarget }: { currentTarget: HTMLFormElement }) =>
  currentTarget.classList.toggle("scrolled", currentTarget.scrollTop > 0);

/** Adds a reason once, if it fits. Pressing a button makes its value the text. */
function withReason(text: string, reason: string): string {
  const both = text.trim() ? `${text}, ${reason}` : reason;
  return text.includes(reason) || [...both].length > textLength ? text : both;
}

/** Truncates the text, also in the field, so that the field shows what will be sent. */
function shorten(field: HTMLTextAreaElement): string {
  const points = [...field.value];
  if (points.length > textLength) field.value = points.slice(0, textLength).join("");
  return field.value;
}
