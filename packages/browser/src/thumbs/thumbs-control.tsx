/** @jsxImportSource preact */
import type { JSX } from "preact";
import { Words } from "../ui/words.tsx";
import type { Thumbs, ThumbsState, Vote } from "./create-thumbs.ts";
import { escape, ReasonLine } from "./reason-line.tsx";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";

/** What the person does with the control. */
export type ThumbsActions = Pick<Thumbs, "press" | "choose" | "write" | "send" | "leave">;

export interface ThumbsControlProps {
  words: AllThumbsTexts;
  /** BCP 47 tag. */
  language: string;
  direction: "ltr" | "rtl";
  state: ThumbsState;
  thumbs: ThumbsActions;
}

/** Two thumbs in a row with what became of the vote, and the line below them that opens beside a bad answer. */
export function ThumbsControl(props: ThumbsControlProps): JSX.Element {
  const { words, language, direction, state, thumbs } = props;
  const { vote, stage, isFixed, reasons } = state;
  const isAsking = vote === "down" && !isFixed && !!reasons;
  const leaveOnEscape = (event: KeyboardEvent) => {
    if (event.keyCode !== escape || !isAsking) return;
    event.stopPropagation();
    thumbs.leave();
  };
  const button = (which: Vote) => (
    <button
      type="button"
      part={which}
      title={words[which]}
      aria-pressed={vote === which}
      aria-disabled={isFixed}
      aria-expanded={which === "down" ? isAsking : undefined}
      // The second click of a double click would withdraw the vote.
      onClick={({ detail }) => detail < 2 && thumbs.press(which)}
      onKeyDown={which === "down" ? leaveOnEscape : undefined}
    />
  );
  return (
    <span lang={language} dir={direction}>
      <div>
        {button("up")}
        {button("down")}
        {stage === "held" && (
          <button type="button" part="undo" onClick={() => thumbs.press(vote!)}>
            <Ring until={state.heldUntil!} />
            <span>{words.undo}</span>
          </button>
        )}
        <span part="status" role="status">
          {words[stage as "stored"] && <Words text={words[stage as "stored"]} />}
        </span>
      </div>
      {reasons && (
        <ReasonLine
          words={words}
          reasons={(reasons[0] ? reasons : words.reasons).slice(0, 4)}
          isOpen={isAsking}
          text={state.text}
          chosen={state.chosen}
          thumbs={thumbs}
          onKeyDown={leaveOnEscape}
        />
      )}
    </span>
  );
}

/** A ring that runs out when the vote is sent. None while the vote waits for the person. */
function Ring({ until }: { until: number }) {
  if (until === Infinity) return null;
  return (
    // A new one, since that starts its animation anew.
    <svg key={until} viewBox="0 0 24 24" aria-hidden="true" style={{ "--held": `${until - Date.now()}ms` }}>
      <path d="M12 2a10 10 0 1 1-.01 0" />
    </svg>
  );
}
