/** @jsxImportSource preact */
import type { JSX } from "preact";
import type { SubmitResult, SurveyTexts } from "../core/public/index.ts";
import { directionOf } from "../texts/language-of.ts";
import { FollowUp } from "./follow-up.tsx";
import { Icon, Words } from "./elements.tsx";
import { Scale, type SpokenView, type SurveyProps } from "./scale.tsx";
import type { Flow } from "./survey-flow.ts";

/** Icons beside the text after Send, each in the same place. */
const marks: Partial<Record<Flow["stage"], string>> = {
  sending: "M6 11.5v1M12 11.5v1M18 11.5v1",
  stored: "m4 13 5 5L20 6",
  queued: "M12 2.5a9.5 9.5 0 1 0 .01 0zM12 6.5V12l3.5 2.5",
  already: "M12 9v12m0-17v.5",
  refused: "M12 3v12m0 5v.5",
};

interface CardProps extends SurveyProps {
  /** What screen readers say when the survey does not take the focus. */
  announcement: string;
}

/** The whole widget. */
export function Card(props: CardProps): JSX.Element {
  const { view, flow, announcement, act } = props;
  const { texts, language } = view;
  const { stage, rating, isWarned } = flow;
  // Only the stages after Send have a text with their name.
  const end = texts[stage as "sending" | SubmitResult] as string | undefined;
  const hasBegun = rating !== undefined;
  const direction = view.direction ?? directionOf(language);
  const privacy = <PrivacyLink address={view.privacyLink} texts={texts} />;
  return (
    <section
      part="card"
      class={`${look(view, direction)}${hasBegun ? " begun" : ""}`}
      style={{ colorScheme: view.colorScheme }}
      tabIndex={-1}
      aria-label={texts.region}
      lang={language}
      dir={direction}
    >
      {end === undefined && (
        // Once it has scrolled under the close button, that gets a bar.
        <form onScroll={({ currentTarget: form }) => form.classList.toggle("scrolled", form.scrollTop > 0)}>
          <Scale {...props} />
          {hasBegun && <FollowUp {...props} privacyLink={privacy} />}
          <small class="foot">
            {view.survey.showBadge && <span part="badge">{texts.badge}</span>}
            {!hasBegun && privacy}
          </small>
        </form>
      )}
      {end !== undefined ? (
        <Status text={end} look={stage} mark={marks[stage]} />
      ) : isWarned ? (
        <Status text={texts.unsent} look="warning" />
      ) : (
        <Status text={announcement} look="quiet" />
      )}
      <button type="button" part="close" aria-label={texts.close} onClick={() => act("close")}>
        <Icon path="m7 7 10 10M17 7 7 17" />
      </button>
    </section>
  );
}

/** Class names for the card's placement and density. */
function look({ survey, banner = "top", density }: SpokenView, direction: "ltr" | "rtl"): string {
  const { presentation, corner = direction === "rtl" ? "bottom-left" : "bottom-right" } = survey;
  // An inline card has no side: `undefined` joins as "".
  const side = { corner, banner, inline: undefined }[presentation];
  return [presentation, side, density].join(" ");
}

/** Leads to the privacy notice: below the ratings, and beside Send once a rating is chosen. */
function PrivacyLink({ address, texts }: { address: string | undefined; texts: SurveyTexts }) {
  if (!address || !/^https?:/.test(address)) return null;
  return (
    <a href={address} target="_blank" rel="noopener">
      {texts.privacy}
    </a>
  );
}

/** Screen readers announce only changes to a live region that is already in the page. */
function Status({ text, look, mark }: { text: string; look: string; mark?: string }) {
  return (
    <p role="status" class={look}>
      {mark && <Icon key={mark} path={mark} />}
      <Words text={text} />
    </p>
  );
}
