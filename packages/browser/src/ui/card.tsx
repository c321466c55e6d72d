import type { SubmitResult, SurveyViewOptions } from "../core/survey-view.ts";
import type { FollowUpModule, WordedSurvey } from "./follow-up.tsx";
import { Icon } from "./icon.tsx";
import { Scale } from "./scale.tsx";
import type { Flow, FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

export interface CardProps extends LoadedTexts {
  view: SurveyViewOptions;
  survey: WordedSurvey;
  flow: Flow;
  /** Absent until its file has arrived. */
  followUp: FollowUpModule | undefined;
  /** Said to those who hear the page, when the survey came by itself. */
  announcement: string;
  act: (event: FlowEvent) => void;
}

const isRightToLeft = /^(ar|fa|he|ur)/;

/** The whole widget, drawn anew at each step. */
export function Card(props: CardProps) {
  const { view, flow, texts, language, announcement, followUp } = props;
  const { stage, isWarned } = flow;
  // Of all stages only those at which the answer is settled have a text of their name.
  const isOver = stage in texts;
  const mark = followUp?.marks[stage];
  return (
    <section
      part="card"
      class={look(view)}
      tabIndex={-1}
      aria-label={texts.region}
      lang={language}
      dir={view.direction ?? (isRightToLeft.test(language) ? "rtl" : "ltr")}
    >
      {!isOver && <Ask {...props} />}
      {/* Screen readers announce only changes of a live region that is already in the page. */}
      <p role="status" class={isOver ? "" : isWarned ? "warning" : "quiet"}>
        {mark && <Icon path={mark} />}
        <span>{isOver ? texts[stage as SubmitResult] : isWarned ? texts.unsent : announcement}</span>
      </p>
      <button part="close" aria-label={texts.close}>
        <Icon path="m7 7 10 10M17 7 7 17" />
      </button>
    </section>
  );
}

/** The class names that say where the card stands and how it looks. */
function look({ place, theme = "auto", density }: SurveyViewOptions): string {
  const { presentation } = place;
  // `undefined` joins as nothing: an inline card has no side.
  return [presentation, place[presentation as "corner"], theme, density].join(" ");
}

function Ask({ view, survey, texts, flow, act, followUp }: CardProps) {
  const { privacyLink } = view;
  return (
    <form inert={flow.stage === "underway"} onScroll={followUp?.markScrolled}>
      <Scale survey={survey} texts={texts} rating={flow.rating} onRate={(rating) => act({ rating })} />
      {flow.rating !== undefined && followUp && (
        <followUp.FollowUp survey={survey} flow={flow} texts={texts} view={view} act={act} />
      )}
      <small class="foot">
        {survey.showBadge && <span part="badge">{texts.badge}</span>}
        {privacyLink && /^https?:/.test(privacyLink) && (
          <a href={privacyLink} target="_blank" rel="noopener">
            {texts.privacy}
          </a>
        )}
      </small>
    </form>
  );
}
