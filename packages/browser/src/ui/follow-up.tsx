/** @jsxImportSource preact */
import { textLength } from "@afterword/protocol/limits";
import type { JSX } from "preact";
import type { SurveyProps } from "./scale.tsx";
import { offersContact } from "./survey-flow.ts";
import { unrecorded, Words } from "./elements.tsx";

/** From this length on, a character count is shown. */
const nearLimit = textLength - 500;

type FollowUpProps = SurveyProps & { privacyLink: JSX.Element };

/**
 * What follows the choice of a rating: the fields, and the buttons that send the answer. What a rating does not need is
 * hidden, because a field that moves loses its undo history.
 */
export function FollowUp({ view, survey, flow, act, privacyLink }: FollowUpProps): JSX.Element {
  const { texts, askFollowUp } = view;
  const { followUpQuestion, suggestions = [] } = survey;
  const { rating, text = "", followUpRequested } = flow;
  return (
    <>
      <div class="more">
        <div class="text" hidden={!followUpQuestion}>
          <label for="text">
            <Words part="question" text={followUpQuestion ?? ""} />
          </label>
          <div class="reasons" hidden={!suggestions.length}>
            {suggestions.map((reason) => (
              <button
                key={reason}
                type="button"
                part="reason"
                onClick={() => act({ text: withReason(text, reason) })}
              >
                {reason}
              </button>
            ))}
          </div>
          <textarea
            {...unrecorded}
            id="text"
            // A browser whose fields grow with the text (`field-sizing`) takes no notice of this.
            rows={3}
            part="text"
            aria-describedby="count"
            // While it is empty, that of the card.
            dir={text ? "auto" : undefined}
            maxLength={textLength}
            value={text}
            onInput={({ currentTarget }) => act({ text: currentTarget.value })}
          />
          {/* Hidden from the field's name, which would announce it at each key; still its description. */}
          <small id="count" aria-hidden="true">
            {text.length > nearLimit && <Words text={`${text.length} / ${textLength}`} />}
          </small>
        </div>
        <label class="contact" hidden={!offersContact(survey, askFollowUp, rating!)}>
          <input
            type="checkbox"
            checked={!!followUpRequested}
            onChange={({ currentTarget }) => act({ followUpRequested: currentTarget.checked })}
          />
          {texts.followUpRequest}
        </label>
      </div>
      <div class="actions">
        {privacyLink}
        <button type="button" part="skip" hidden={!followUpQuestion} onClick={() => act("skip")}>
          {texts.skip}
        </button>
        <button part="send" onClick={() => act("send")}>
          {texts.send}
        </button>
      </div>
    </>
  );
}

/** Adds a reason once, if it fits. */
function withReason(text: string, reason: string): string {
  const both = text.trim() ? `${text}, ${reason}` : reason;
  return text.includes(reason) || both.length > textLength ? text : both;
}
