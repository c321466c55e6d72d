import type { SurveyTexts } from "../core/survey-texts.ts";
import { type Flow, textLimit } from "./survey-flow.ts";

export interface FollowUpProps {
  question: string | undefined;
  flow: Flow;
  texts: SurveyTexts;
  onWrite: (text: string) => void;
  onWantContact: (wanted: boolean) => void;
}

/** What else the person may say once a rating is chosen. */
export function FollowUp({ question, flow, texts, onWrite, onWantContact }: FollowUpProps) {
  return (
    <>
      {question && (
        <label class="text">
          <span part="question">{question}</span>
          <textarea
            rows={3}
            dir="auto"
            part="text"
            value={flow.text}
            aria-describedby="count"
            onInput={(event) => onWrite(event.currentTarget.value)}
          />
          <small id="count">{flow.text && `${[...flow.text].length} / ${textLimit}`}</small>
        </label>
      )}
      {flow.offersContact && (
        <label class="contact">
          <input
            type="checkbox"
            checked={flow.wantsContact}
            onChange={(event) => onWantContact(event.currentTarget.checked)}
          />
          {texts.followUpRequest}
        </label>
      )}
    </>
  );
}
