/** @jsxImportSource preact */
import type { Afterword } from "../core/client/index.ts";
import type { RatedRun, RunWithTokens } from "../core/options/index.ts";
import type { LoadWords, SurveyAppearance } from "../core/survey/index.ts";
import { render } from "preact";
import {
  createThumbs,
  prepare,
  ratings,
  type Thumbs,
  type ThumbsOptions,
  type Vote,
} from "./create-thumbs.ts";
import { loadThumbsTexts, type AllThumbsTexts } from "./load-thumbs-texts.ts";
import { ThumbsControl, type ThumbsControlProps } from "./thumbs-control.tsx";
import { directionOf, languageOf } from "../texts/language-of.ts";
import { hideFromPage } from "../ui/hide-from-page.ts";
import { pageOf, styleSheet, type Page } from "../ui/page.ts";
import type { VoteDetails } from "./vote-details.tsx";
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
/** A style sheet belongs to one document. */
const sheets = new WeakMap<Document, CSSStyleSheet>();
/** What the control says, by language. */
let speech: Record<string, Speech>;

/** Loaded by the first press. */
let details: { VoteDetails?: typeof VoteDetails } = {};

type Speech = Pick<ThumbsControlProps, "words" | "language" | "direction">;

const attributes = ["survey-id", "session-id", "observation-id", "task-type", "value", "token"];

class ThumbsElement extends (globalThis.HTMLElement ?? Object) implements AfterwordThumbsElement {
  static observedAttributes = attributes;
  static rate: Afterword["rate"];
  #root = this.attachShadow({ mode: "open" });
  #given: Pick<AfterwordThumbsElement, "getToken" | "tokens"> = {};
  #thumbs?: Thumbs;
  #redraw?: () => void;
  /** The drawn run as JSON; empty while there is nothing to vote on. */
  #drawn?: string;

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
    this.#adoptStyle(pageOf(this));
    // What a vote has opened may have less room here.
    this.#redraw?.();
    void this.#draw();
  }

  #adoptStyle(page: Page) {
    const { document } = page;
    const sheet = sheets.get(document) ?? styleSheet(page, css);
    sheets.set(document, sheet);
    this.#root.adoptedStyleSheets = [sheet];
    hideFromPage(page);
  }

  attributeChangedCallback() {
    // Waits until all of them have changed.
    if (this.isConnected) queueMicrotask(() => this.#draw());
  }

  disconnectedCallback() {
    // An element that only moves, as in a keyed list, is connected again at once.
    queueMicrotask(() => this.isConnected || this.#thumbs?.leave());
  }

  #get(name: string) {
    return this.getAttribute(name) || undefined;
  }

  /** The run with its way to the token: the attribute first, and once that was refused `getToken`. */
  #run(): RatedRun | RunWithTokens {
    const [surveyId, sessionId = "", observationId, taskType] = attributes.map((name) => this.#get(name));
    const { tokens } = this.#given;
    const run = { surveyId, sessionId, observationId, taskType };
    if (tokens) return { ...run, tokens };
    let isAskedAgain = false;
    const getToken = () => {
      const token = this.#get("token");
      const mint = this.getToken ?? (() => token!);
      const isMinted = isAskedAgain || !token;
      isAskedAgain = true;
      return isMinted ? mint() : token;
    };
    return { ...run, surveyId: surveyId!, getToken };
  }

  async #draw() {
    const vote = this.#get("value") as Vote;
    const value = ratings[vote] > 0 ? vote : undefined;
    const { getToken, tokens = {} } = this.#given;
    const surveys = Object.keys(tokens);
    const run = this.#run();
    const isVotable = value ?? this.#get("token") ?? getToken ?? surveys[0];
    const drawn = isVotable ? JSON.stringify([{ ...run, tokens: surveys }, value]) : "";
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#thumbs?.leave();
    this.#thumbs = this.#redraw = undefined;
    // Keeps the space, with a token or before it.
    render(<div class="thumbs" />, this.#root);
    if (!drawn) return;
    const { rate } = ThumbsElement;
    const language = appearance.language || this.closest<HTMLElement>("[lang]")?.lang || navigator.language;
    const [speech, isReady] = await Promise.all([speechIn(language), value || prepare(rate, run)]);
    if (isReady && drawn === this.#drawn) this.#show({ ...run, value, language }, speech);
  }

  /** Draws the control now and at each change. */
  #show(options: ThumbsOptions, speech: Speech) {
    const thumbs = createThumbs(ThumbsElement.rate, options);
    const press = async (vote: Vote) => {
      thumbs.press(vote);
      // If it does not come, the vote is sent all the same, and the next press asks again.
      details = details.VoteDetails ? details : await load.details().catch(() => ({}));
      this.#redraw?.();
    };
    this.#thumbs = thumbs;
    this.#redraw = () => {
      if (thumbs !== this.#thumbs) return;
      const state = thumbs.getState();
      const focused = this.#root.activeElement;
      render(
        <ThumbsControl {...speech} {...details} state={state} thumbs={{ ...thumbs, press }} />,
        this.#root,
      );
      // What had the focus is gone or closed now; without this the focus would fall to the body.
      if (focused && (!this.#root.activeElement || focused.closest("[inert]")))
        this.#root.querySelector<HTMLElement>("[aria-pressed=true], [part=down]")!.focus();
    };
    thumbs.subscribe(this.#redraw);
    this.#redraw();
  }
}

/** Returns what the control says in a language; once it has loaded, for all elements. */
async function speechIn(tag: string): Promise<Speech> {
  const wanted = languageOf(tag);
  const known = speech[wanted];
  if (known) return known;
  const [words, language] = await loadThumbsTexts(wanted, load.words);
  const direction = appearance.direction ?? directionOf(language);
  return (speech[wanted] ??= { words: { ...words, ...appearance.texts }, language, direction });
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
