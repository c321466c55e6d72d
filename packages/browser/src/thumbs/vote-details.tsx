/** @jsxImportSource preact */
import { type JSX, Component, createRef } from "preact";
import { Words, unrecorded } from "../ui/elements.tsx";
import { Beside } from "./beside.tsx";
import { textLength } from "@afterword/protocol/limits";
import type { VoteState, AllThumbsTexts } from "../core/public/index.ts";
import { listen } from "../ui/page.ts";
import { play } from "../ui/play.ts";
import type { Thumbs } from "./create-thumbs.ts";

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

// By its code: a key that ends an input method's composition has another one, which is its only mark in Safari.
const enter = 13;

/** What becomes of a vote is drawn from these. */
export interface VoteProps {
  words: AllThumbsTexts;
  state: VoteState;
  thumbs: Thumbs;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Keys pressed in the line must not trigger the page's shortcuts. */
const stop = (event: Event) => event.stopPropagation();

/** The reasons and the text field beside a bad answer. Closed, it is inert and hidden. */
class ReasonLine extends Component<VoteProps> {
  #line = createRef<HTMLDivElement>();
  /** Drawn at the first bad answer, and then kept, so that it can close. */
  #isDrawn = false;
  #isOpen = false;
  /** What of the person is in the line. */
  #inside = { pointer: false, focus: false };

  // In lower case: Preact 10 takes the name as it is, since elements have no property `onfocusin`.
  private readonly focusHandlers = {
    onfocusin: () => this.#note({ focus: true }),
    onfocusout: ({ relatedTarget }: FocusEvent) =>
      this.#note({ focus: !!this.#line.current?.contains(relatedTarget as Node | null) }),
  };

  #note(now: { pointer?: boolean; focus?: boolean }) {
    Object.assign(this.#inside, now);
    this.#write();
  }

  /** The vote waits while the pointer or the focus is in the line; once neither is there, the text alone delays it. */
  #write(text = this.props.state.text) {
    this.props.thumbs.write(text, this.#inside.pointer || this.#inside.focus || undefined);
  }

  /** Aborts when the line closes. */
  #opened?: AbortController;
  readonly #leave = () => this.props.thumbs.leave();

  override componentDidMount() {
    this.componentDidUpdate();
  }

  override componentDidUpdate() {
    const { isLineOpen, isFixed } = this.props.state;
    const line = this.#line.current;
    if (!line) return;
    line.inert = isFixed || !isLineOpen;
    if (isLineOpen !== this.#isOpen) this.#unfold(line, isLineOpen);
    // Once the vote has been sent, it closes when the person does anything: by itself, it would move the page under them.
    if (isLineOpen && isFixed)
      // The page hears no key that is pressed on a thumb.
      for (const within of [line.ownerDocument, line.getRootNode()])
        listen(within, ["pointerdown", "keydown"], this.#leave, this.#opened!.signal);
  }

  override componentWillUnmount() {
    this.#opened?.abort();
  }

  /** Opens or closes the line, and hides it once it has closed. */
  #unfold(line: HTMLElement, isOpen: boolean) {
    this.#isOpen = isOpen;
    this.#opened?.abort();
    if (isOpen) this.#opened = new AbortController();
    line.hidden = false;
    const end = () => {
      line.hidden = !this.#isOpen;
      // The rest of the page stays as it is, as far as the window has room for both.
      if (!line.hidden) line.scrollIntoView?.({ block: "nearest" });
    };
    const none = { height: 0, marginBlockStart: 0, opacity: 0 };
    const whole = { height: `${line.offsetHeight}px` };
    const played = isOpen ? play(line, none, whole) : play(line, whole, none);
    // At the earliest once the line has its place.
    void Promise.resolve(played).then(end);
  }

  override render({ words, state, thumbs, onKeyDown }: VoteProps): JSX.Element | null {
    const { isLineOpen, text, chosen, reasons: suggested = [] } = state;
    const reasons = (suggested[0] ? suggested : words.reasons).slice(0, 4);
    this.#isDrawn ||= isLineOpen;
    if (!this.#isDrawn) return null;
    return (
      <div
        ref={this.#line}
        role="group"
        aria-label={words.why}
        // As it begins; from then on, the methods above set both.
        hidden
        inert
        // A finger leaves `:hover` set after it is lifted.
        onPointerEnter={({ pointerType }) => this.#note({ pointer: pointerType !== "touch" })}
        onPointerLeave={() => this.#note({ pointer: false })}
        {...this.focusHandlers}
        onKeyDown={(event) => {
          onKeyDown(event);
          event.stopPropagation();
        }}
        onKeyPress={stop}
        onKeyUp={stop}
      >
        <span>
          {reasons.map((reason) => (
            <button
              key={reason}
              type="button"
              part="reason"
              aria-pressed={chosen.includes(reason)}
              onClick={({ detail }) => detail < 2 && thumbs.choose(reason)}
            >
              {reason}
            </button>
          ))}
        </span>
        <span>
          <input
            {...unrecorded}
            part="text"
            dir="auto"
            aria-label={words.details}
            placeholder={words.details}
            // All reasons may go before it.
            maxLength={textLength - reasons.join(", ,").length}
            value={text}
            onInput={({ currentTarget }) => this.#write(currentTarget.value)}
            onKeyDown={({ keyCode }) => keyCode === enter && thumbs.send()}
          />
          <button type="button" part="send" onClick={() => thumbs.send()}>
            {words.send}
          </button>
        </span>
      </div>
    );
  }
}
