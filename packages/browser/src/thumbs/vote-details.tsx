/** @jsxImportSource preact */
import type { JSX } from "preact";
import { Words } from "../ui/words.tsx";
import { Beside } from "./beside.tsx";
import { ReasonLine, type VoteProps } from "./reason-line.tsx";

/** What becomes of a vote: Undo while it is held, then its outcome, and the line of reasons beside a bad answer. */
export function VoteDetails(props: VoteProps): JSX.Element {
  const { words, state, thumbs } = props;
  const { vote, stage } = state;
  return (
    <Beside>
      <div class="outcome">
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
      {state.reasons && <ReasonLine {...props} />}
    </Beside>
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
