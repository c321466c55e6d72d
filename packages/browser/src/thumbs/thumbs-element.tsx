/** @jsxImportSource preact */
import type { Afterword, AllThumbsTexts, LoadWords, SurveyAppearance } from "../core/public/index.ts";
import type { RatedRun, RunWithTokens, Vote } from "../core/public/index.ts";
import { render, type JSX } from "preact";
import { createThumbs, ratings, type Thumbs } from "./create-thumbs.ts";
import { thumbs as english } from "../texts/en.ts";
import { directionOf, languageOf } from "../texts/language-of.ts";
import { wordsOf } from "../texts/languages.ts";
import { hideFromPage } from "../ui/hide-from-page.ts";
import { pageOf, sheetOf } from "../ui/page.ts";
import type { VoteDetails, VoteProps } from "./vote-details.tsx";
import css from "./thumbs.css?inline";

/** Language, direction and texts of the thumbs. */
export interface ThumbsAppearance extends Pick<SurveyAppearance, "language" | "direction"> {
  /** Your own texts; the others keep their defaults. */
  texts?: Partial<AllThumbsTexts>;
}

/** `<afterword-thumbs>` as scripts see it. */
export interface AfterwordThumbsElement extends HTMLElement {
  /** Called at the first press if there is no `token` attribute, and again once a token was refused. */
  getToken?: RatedRun["getToken"];
  /** The tokens of a run by survey, in place of `survey-id` and `token`: the only one of a csat survey is used. */
  tokens?: RunWithTokens["tokens"];
}

/** How each entry point loads what is fetched on demand. */
export interface ThumbsLoaders {
  /** What a vote opens. */
  details(): Promise<{ VoteDetails: typeof VoteDetails }>;
  /** Texts; without it those of the package. */
  words?: LoadWords;
}

/** Shared by all elements of the page. */
let appearance: ThumbsAppearance;
let load: ThumbsLoaders;
const sheet = sheetOf(css);
/** What the control says, by language. */
let speech: Record<string, Speech>;

type Speech = Pick<ThumbsControlProps, "words" | "language" | "direction">;

const attributes = ["survey-id", "session-id", "observation-id", "task-type", "value", "token"];

class ThumbsElement extends (globalThis.HTMLElement ?? Object) implements AfterwordThumbsElement {
  static observedAttributes = attributes;
  static rate: Afterword["rate"];
  #root = this.attachShadow({ mode: "open" });
  #given: Pick<AfterwordThumbsElement, "getToken" | "tokens"> = {};
  #thumbs?: Thumbs;
  #speech?: Speech;
  /** Only where a vote is given: what had become of it before is not said again. */
  #details?: { VoteDetails: typeof VoteDetails };
  /** Ends following the vote, which may outlive this element. */
  #unfollow?: () => void;
  /** The drawn run and its tokens as JSON; empty while there is nothing to vote on. */
  #drawn: string[] = [];

  get getToken() {
    return this.#given.getToken;
  }
  set getToken(getToken) {
    this.#given.getToken = getToken;
    this.attributeChangedCallback();
  }

  get tokens() {
    return this.#given.tokens;
  }
  set tokens(tokens) {
    this.#given.tokens = tokens;
    this.attributeChangedCallback();
  }

  connectedCallback() {
    // The page may have set them before the element was defined.
    const { getToken, tokens } = this;
    delete this.getToken;
    delete this.tokens;
    this.#given = { getToken, tokens };
    const page = pageOf(this);
    this.#root.adoptedStyleSheets = [sheet(page)];
    hideFromPage(page);
    this.#follow();
    this.attributeChangedCallback();
  }

  attributeChangedCallback() {
    // Waits until all of them have changed, and React has named its client.
    if (this.isConnected) queueMicrotask(() => this.#draw());
  }

  disconnectedCallback() {
    // An element that only moves, as in a keyed list, is connected again at once.
    queueMicrotask(() => this.isConnected || this.#leave());
  }

  #leave() {
    this.#thumbs?.leave();
    this.#unfollow?.();
  }

  /** Draws the control now, and at each change while it is in the page. */
  #follow() {
    this.#unfollow?.();
    if (this.isConnected) this.#unfollow = this.#thumbs?.subscribe(this.#redraw);
    this.#redraw();
  }

  async #draw() {
    const [surveyId, sessionId = "", observationId, taskType, vote, token] = attributes.map(
      (name) => this.getAttribute(name) || undefined,
    );
    const { tokens, getToken } = this.#given;
    const value = ratings[vote as Vote] > 0 ? (vote as Vote) : undefined;
    const run = { surveyId: surveyId!, sessionId, observationId, taskType, value };
    const surveys = Object.keys(tokens ?? {});
    const isVotable = value ?? token ?? getToken ?? surveys[0];
    const drawn = [
      { ...run, surveys },
      { token, tokens, mints: !!getToken },
    ].map((part) => (isVotable ? JSON.stringify(part) : ""));
    const isSameRun = drawn[0] === this.#drawn[0];
    // A vote that waits keeps its token and its line.
    if (isSameRun && (drawn[1] === this.#drawn[1] || this.#thumbs?.getState().stage === "held")) return;
    this.#drawn = drawn;
    if (!isSameRun) {
      this.#leave();
      this.#thumbs = undefined;
      // Keeps the space, with a token or before it.
      render(<div class="thumbs" />, this.#root);
    }
    if (!isVotable) return;
    const language = appearance.language || this.closest<HTMLElement>("[lang]")?.lang || navigator.language;
    const way = tokens ? { tokens } : { token, getToken: getToken && (() => this.getToken!()) };
    const thumbs = createThumbs(ThumbsElement.rate, { ...run, ...way, language });
    const [speech, isReady] = await Promise.all([speechIn(language), thumbs.ready]);
    if (!isReady || drawn !== this.#drawn) return;
    [this.#thumbs, this.#speech] = [thumbs, speech];
    this.#follow();
  }

  #redraw = () => {
    const [thumbs, speech] = [this.#thumbs, this.#speech!];
    if (!thumbs) return;
    const state = { ...thumbs.getState() };
    state.isLineOpen &&= thumbs.isOwn();
    if (state.stage === "held") void this.#loadDetails();
    const focused = this.#root.activeElement;
    const isGone = state.stage === "expired" && !this.getToken;
    const control = <ThumbsControl {...speech} {...this.#details} state={state} thumbs={thumbs} />;
    render(isGone ? <div class="thumbs" /> : control, this.#root);
    // What had the focus is gone or closed now; without this the focus would fall to the body.
    if (focused && (!this.#root.activeElement || focused.closest("[inert]")))
      this.#root.querySelector<HTMLElement>("[aria-pressed=true], [part=down]")?.focus();
  };

  /** If it does not come, the vote is sent all the same, and the next change asks again. */
  async #loadDetails() {
    if (this.#details) return;
    this.#details = await load.details().catch(() => undefined);
    if (this.#details) this.#redraw();
  }
}

/** Returns what the control says in a language; once it has loaded, for all elements. */
async function speechIn(tag: string): Promise<Speech> {
  const wanted = languageOf(tag);
  // Does not report the English fallback: that would take longer than drawing the control.
  const loaded = speech[wanted] ? undefined : await wordsOf(wanted, load.words)?.catch(() => {});
  const language = loaded ? wanted : "en";
  const words = { ...english, ...loaded?.texts, ...loaded?.thumbs, ...appearance.texts };
  const direction = appearance.direction ?? directionOf(language);
  return (speech[wanted] ??= { words, language, direction });
}

/**
 * Defines `<afterword-thumbs>`. A second call makes later elements vote with the new `rate`; without `words`, from npm, also
 * those that another copy of this package has defined.
 */
export function defineThumbs(
  ...newest: [rate: Afterword["rate"], appearance: ThumbsAppearance, load: ThumbsLoaders]
): void {
  [ThumbsElement.rate, appearance, load] = newest;
  speech = {};
  const known = customElements.get("afterword-thumbs") as Partial<typeof ThumbsElement> | undefined;
  if (known && !load.words) [known.rate] = newest;
  if (!known) customElements.define("afterword-thumbs", ThumbsElement);
}

// By its code: a key that ends an input method's composition has another one, which is its only mark in Safari.
const escape = 27;

interface ThumbsControlProps extends Omit<VoteProps, "onKeyDown"> {
  /** BCP 47 tag. */
  language: string;
  direction: "ltr" | "rtl";
  /** What becomes of a vote, once it has loaded: nothing before a press needs it. */
  VoteDetails?: typeof VoteDetails;
}

/** Two thumbs in a row, with what becomes of the vote. */
function ThumbsControl(props: ThumbsControlProps): JSX.Element {
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
