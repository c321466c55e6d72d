/** @jsxImportSource preact */
import type { JSX } from "preact";
import type { Vote } from "../core/options/index.ts";
import type { VoteProps } from "./reason-line.tsx";
import type { VoteDetails } from "./vote-details.tsx";

// By its code: a key that ends an input method's composition has another one, which is its only mark in Safari.
const escape = 27;

export interface ThumbsControlProps extends Omit<VoteProps, "onKeyDown"> {
  /** BCP 47 tag. */
  language: string;
  direction: "ltr" | "rtl";
  /** What becomes of a vote, once it has loaded: nothing before a press needs it. */
  VoteDetails?: typeof VoteDetails;
}

/** Two thumbs in a row, with what becomes of the vote. */
export function ThumbsControl(props: ThumbsControlProps): JSX.Element {
  const { words, language, direction, state, thumbs, VoteDetails } = props;
  const { vote, isFixed } = state;
  const isAsking = state.isLineOpen && !!state.reasons && !isFixed;
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
      <div class="thumbs">
        {button("up")}
        {button("down")}
        {VoteDetails && <VoteDetails {...props} onKeyDown={leaveOnEscape} />}
      </div>
    </span>
  );
}
