import type { SubmitResult, SurveyViewOptions } from "../core/survey-view.ts";
import { FollowUp, marks, markScrolled, type WordedSurvey } from "./follow-up.tsx";
import { Icon } from "./icon.tsx";
import { Scale } from "./scale.tsx";
import type { Flow, FlowEvent } from "./survey-flow.ts";
import type { LoadedTexts } from "./texts/load-texts.ts";

export interface CardProps extends LoadedTexts {
  view: SurveyViewOptions;
  survey: WordedSurvey;
  flow: Flow;
  /** What screen readers say when the survey does not take the focus. */
  announcement: string;
  act: (event: FlowEvent) => void;
}

const isRightToLeft = /^(ar|fa|he|ur)/;

/** The whole widget, re-rendered at each step. */
export function Card(props: CardProps) {
  const { view, flow, texts, language, announcement } = props;
  const { stage, isWarned } = flow;
  // Only the stages after Send have a text with their name.
  const isOver = stage in texts;
  const mark = marks[stage];
  const direction = view.direction ?? (isRightToLeft.test(language) ? "rtl" : "ltr");
  return (
    <section
      part="card"
      class={look(view, direction)}
      tabIndex={-1}
      aria-label={texts.region}
      lang={language}
      dir={direction}
    >
      {!isOver && <Ask {...props} />}
      {/* Screen readers announce only changes to a live region that is already in the page. */}
      <p role="status" class={isOver ? "" : isWarned ? "warning" : "quiet"}>
        {mark && <Icon path={mark} />}
        <span>
          {isOver ? texts[stage as "sending" | SubmitResult] : isWarned ? texts.unsent : announcement}
        </span>
      </p>
      <button part="close" aria-label={texts.close}>
        <Icon path="m7 7 10 10M17 7 7 17" />
      </button>
    </section>
  );
}

/** Class names for the card's placement, theme and density. */
function look({ place, theme = "auto", density }: SurveyViewOptions, direction: "ltr" | "rtl"): string {
  const { presentation, corner = direction === "rtl" ? "bottom-left" : "bottom-right", banner } = place;
  // An inline card has no side: `undefined` joins as "".
  const side = { corner, banner, inline: undefined }[presentation];
  return [presentation, side, theme, density].join(" ");
}

function Ask({ view, survey, texts, flow, act }: CardProps) {
  const { privacyLink } = view;
  return (
    <form onScroll={markScrolled}>
      <Scale survey={survey} texts={texts} rating={flow.rating} onRate={(rating) => act({ rating })} />
      {flow.rating !== undefined && (
        <FollowUp survey={survey} flow={flow} texts={texts} view={view} act={act} />
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
