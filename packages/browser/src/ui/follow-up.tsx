import type { SurveyTexts } from "../core/survey-texts.ts";
import type { SurveyDraft } from "../core/survey-view.ts";

/** The longest text that the contract takes, in code points (decision D57). */
const textLimit = 10_000;
/** From here on the person sees how much is left. */
const nearLimit = 9_500;

export interface FollowUpProps {
  question: string | undefined;
  draft: SurveyDraft;
  texts: SurveyTexts;
  offersContact: boolean;
  onEdit: (draft: SurveyDraft) => void;
}

/** What else the person may say once a rating is chosen. */
export function FollowUp({ question, draft, texts, offersContact, onEdit }: FollowUpProps) {
  const { text = "", followUpRequested } = draft;
  const { length } = [...text];
  return (
    <>
      {question && (
        <label class="text">
          <span part="question">{question}</span>
          <textarea
            rows={3}
            dir="auto"
            part="text"
            value={text}
            aria-describedby="count"
            onInput={({ currentTarget }) => onEdit({ text: shorten(currentTarget) })}
          />
          {/* Hidden, or it would be part of the field's name and heard at each key; it stays its description. */}
          <small id="count" aria-hidden="true">
            {length > nearLimit && `${length} / ${textLimit}`}
          </small>
        </label>
      )}
      {offersContact && (
        <label class="contact">
          <input
            type="checkbox"
            checked={!!followUpRequested}
            onChange={({ currentTarget }) => onEdit({ followUpRequested: currentTarget.checked })}
          />
          {texts.followUpRequest}
        </label>
      )}
    </>
  );
}

/** Truncates the text, in the field too, so that it shows what will be sent. */
function shorten(field: HTMLTextAreaElement): string {
  const points = [...field.value];
  if (points.length > textLimit) field.value = points.slice(0, textLimit).join("");
  return field.value;
}
