import type { SurveyViewOptions } from "../core/survey-view.ts";
import { FollowUp } from "./follow-up.tsx";
import { Scale, type ScaleProps } from "./scale.tsx";
import type { Flow, FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

export interface CardProps extends LoadedTexts {
  view: SurveyViewOptions;
  flow: Flow;
  /** Said to those who hear the page, when the survey came by itself. */
  announcement: string;
  readDigit: ScaleProps["readDigit"];
  onRate: ScaleProps["onRate"];
  send: (event: FlowEvent) => void;
}

const isRightToLeft = /^(ar|fa|he|ur)/;
const mark = { stored: "m5 12.5 4.5 4.5L19 7.5", queued: "M12 6.5V12l3.5 2.5", refused: "M12 7v6m0 3.5v.5" };

/** The whole widget, drawn anew at each step. */
export function Card(props: CardProps) {
  const { view, flow, texts, language, send, announcement } = props;
  const { stage } = flow;
  const direction = view.direction ?? (isRightToLeft.test(language) ? "rtl" : "ltr");
  const result = stage === "stored" || stage === "queued" || stage === "refused" ? stage : undefined;
  return (
    <section part="card" tabIndex={-1} aria-label={texts.region} lang={language} dir={direction}>
      {!result && <Ask {...props} />}
      {/* In the page before it says anything, or nobody would hear it. */}
      <p role="status" class={result ?? "quiet"}>
        {result && (
          <svg viewBox="0 0 24 24" aria-hidden="true">
            {result !== "stored" && <circle cx="12" cy="12" r="9.5" />}
            <path d={mark[result]} />
          </svg>
        )}
        <span>{result ? texts[result === "stored" ? "thanks" : result] : announcement}</span>
      </p>
      <button
        type="button"
        class="close"
        part="close"
        aria-label={texts.close}
        onClick={() => send({ type: "close" })}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="m7 7 10 10M17 7 7 17" />
        </svg>
      </button>
    </section>
  );
}

function Ask({ view, texts, flow, readDigit, onRate, send }: CardProps) {
  const { survey } = view;
  const privacyLink = /^https?:/.test(view.privacyLink ?? "") && view.privacyLink;
  const isRated = flow.rating !== undefined;
  const isSending = flow.stage === "sending";
  const onSubmit = (event: Event) => {
    event.preventDefault();
    send({ type: "send" });
  };
  return (
    <form onSubmit={onSubmit} inert={isSending}>
      <Scale survey={survey} texts={texts} rating={flow.rating} readDigit={readDigit} onRate={onRate} />
      {isRated && (
        <div class="more">
          <FollowUp
            question={survey.followUpQuestion}
            flow={flow}
            texts={texts}
            onWrite={(text) => send({ type: "write", text })}
            onWantContact={(wanted) => send({ type: "want-contact", wanted })}
          />
          <div class="actions">
            {survey.followUpQuestion && (
              <button type="button" part="skip" onClick={() => send({ type: "skip" })}>
                {texts.skip}
              </button>
            )}
            <button class="send" part="send">
              {isSending ? texts.sending : texts.send}
            </button>
          </div>
        </div>
      )}
      {(survey.showBadge || privacyLink) && (
        <small class="foot">
          {survey.showBadge && <span part="badge">{texts.badge}</span>}
          {privacyLink && (
            <a href={privacyLink} target="_blank" rel="noopener">
              {texts.privacy}
            </a>
          )}
        </small>
      )}
    </form>
  );
}
