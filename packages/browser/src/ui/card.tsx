import type { SurveyViewOptions } from "../core/survey-view.ts";
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

const marks = { stored: "m4 13 5 5L20 6", queued: "M12 6.5V12l3.5 2.5", refused: "M12 3v12m0 5v.5" };

const isRightToLeft = /^(ar|fa|he|ur)/;

/** The whole widget, drawn anew at each step. */
export function Card(props: CardProps) {
  const { view, flow, texts, language, announcement } = props;
  const { stage, isWarned } = flow;
  const mark = marks[stage as keyof typeof marks];
  return (
    <section
      part="card"
      class={look(view)}
      tabIndex={-1}
      aria-label={texts.region}
      lang={language}
      dir={view.direction ?? (isRightToLeft.test(language) ? "rtl" : "ltr")}
    >
      {!mark && <Ask {...props} />}
      {/* Screen readers announce only changes of a live region that is already in the page. */}
      <p role="status" class={mark ? "" : isWarned ? "warning" : "quiet"}>
        {mark && <Icon path={mark} isRound={stage === "queued"} />}
        <span>{mark ? texts[stage as keyof typeof marks] : isWarned ? texts.unsent : announcement}</span>
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
    <form
      inert={flow.stage === "sending"}
      onScroll={({ currentTarget }) =>
        currentTarget.classList.toggle("scrolled", currentTarget.scrollTop > 0)
      }
    >
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
