/** @jsxImportSource preact */
import { textLength } from "@afterword/protocol/limits";
import { Component, createRef, type JSX } from "preact";
import { play } from "../ui/play.ts";
import { unrecorded } from "../ui/unrecorded.ts";
import type { Thumbs } from "./create-thumbs.ts";
import type { AllThumbsTexts } from "./load-thumbs-texts.ts";

// By their codes: keys that end an input method's composition have another one, which is their only mark in Safari.
const enter = 13;
export const escape = 27;

interface ReasonLineProps {
  words: AllThumbsTexts;
  reasons: readonly string[];
  isOpen: boolean;
  text: string;
  chosen: readonly string[];
  thumbs: Pick<Thumbs, "choose" | "write" | "send">;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Keys pressed in the line must not trigger the page's shortcuts. */
const stop = (event: Event) => event.stopPropagation();

/** The reasons and the text field beside a bad answer. Closed, it is inert and hidden. */
export class ReasonLine extends Component<ReasonLineProps> {
  #line = createRef<HTMLDivElement>();
  /** Drawn at the first bad answer, and then kept, so that it can close. */
  #isDrawn = false;
  #isPointedAt = false;
  #hasFocus = false;

  // In lower case: Preact 10 takes the name as it is, since elements have no property `onfocusin`.
  private readonly focusHandlers = {
    onfocusin: () => {
      this.#hasFocus = true;
      this.#write();
    },
    onfocusout: ({ relatedTarget }: FocusEvent) => {
      this.#hasFocus = !!this.#line.current?.contains(relatedTarget as Node | null);
      this.#write();
    },
  };

  /** The vote waits while the pointer or the focus is in the line; once neither is there, the text alone delays it. */
  #write(text = this.props.text) {
    this.props.thumbs.write(text, this.#isPointedAt || this.#hasFocus || undefined);
  }

  override componentDidMount() {
    if (this.props.isOpen) unfold(this.#line.current!, true);
  }

  override componentDidUpdate(before: ReasonLineProps) {
    if (before.isOpen !== this.props.isOpen) unfold(this.#line.current!, this.props.isOpen);
  }

  override render(props: ReasonLineProps): JSX.Element | null {
    const { words, reasons, isOpen, text, chosen, thumbs, onKeyDown } = props;
    this.#isDrawn ||= isOpen;
    if (!this.#isDrawn) return null;
    return (
      <div
        ref={this.#line}
        role="group"
        aria-label={words.why}
        // As it begins; from then on, `unfold` sets both.
        hidden
        inert
        // A finger leaves `:hover` set after it is lifted.
        onPointerEnter={({ pointerType }) => {
          this.#isPointedAt = pointerType !== "touch";
          this.#write();
        }}
        onPointerLeave={() => {
          this.#isPointedAt = false;
          this.#write();
        }}
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

/** Opens or closes the line, and hides it once it has closed. */
function unfold(line: HTMLElement, isOpen: boolean) {
  line.inert = !isOpen;
  line.hidden = false;
  const [none, whole] = [
    { height: 0, marginBlockStart: 0, opacity: 0 },
    { height: `${line.offsetHeight}px` },
  ];
  const end = () => {
    line.hidden = line.inert;
    // The rest of the page stays as it is, as far as the window has room for both.
    if (isOpen) line.scrollIntoView?.({ block: "nearest" });
  };
  const played = isOpen ? play(line, none, whole) : play(line, whole, none);
  if (played) void played.then(end);
  else end();
}
