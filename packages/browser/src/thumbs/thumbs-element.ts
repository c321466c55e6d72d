import type { Afterword } from "../core/afterword.ts";
import type { LoadWords, SurveyAppearance } from "../core/survey-view.ts";
import {
  createThumbs,
  prepare,
  ratings,
  type Thumbs,
  type ThumbsOptions,
  type Vote,
} from "./create-thumbs.ts";
import { createDraw } from "./draw-thumbs.ts";
import { loadThumbsTexts, type AllThumbsTexts } from "./load-thumbs-texts.ts";
import css from "./thumbs.css?inline";

/** Language, direction and texts of the thumbs. */
export interface ThumbsAppearance extends Pick<SurveyAppearance, "language" | "direction"> {
  /** Your own texts; the others keep their defaults. */
  texts?: Partial<AllThumbsTexts>;
}

/** `<afterword-thumbs>` as scripts see it. */
export interface AfterwordThumbsElement extends HTMLElement {
  /** Called at the first press if there is no `token` attribute. */
  getToken?: ThumbsOptions["getToken"];
}

/** Shared by all elements of the page. */
let rate: Afterword["rate"];
let appearance: ThumbsAppearance;
let load: LoadWords | undefined;
let sheet: CSSStyleSheet;
/** Draw functions by language and by whether the vote is an earlier one: only others load what sends them. */
let draws: Record<string, ReturnType<typeof createDraw>>;

const attributes = ["survey-id", "session-id", "observation-id", "task-type", "value", "token"];

class ThumbsElement extends (globalThis.HTMLElement ?? Object) implements AfterwordThumbsElement {
  static observedAttributes = attributes;
  #root = this.attachShadow({ mode: "open" });
  #getToken: ThumbsOptions["getToken"];
  #thumbs?: Thumbs;
  /** The drawn run as JSON. */
  #drawn = "";

  get getToken() {
    return this.#getToken;
  }
  set getToken(getToken) {
    this.#getToken = getToken;
    this.attributeChangedCallback();
  }

  connectedCallback() {
    // The page may have set it before the element was defined.
    const { getToken } = this;
    delete this.getToken;
    this.#getToken = getToken;
    void this.#draw();
  }

  attributeChangedCallback() {
    // Waits until all of them have changed.
    if (this.isConnected) queueMicrotask(() => this.#draw());
  }

  disconnectedCallback() {
    this.#thumbs?.leave();
  }

  async #draw() {
    const get = (name: string) => this.getAttribute(name) || undefined;
    const [surveyId, sessionId, observationId, taskType, given, token] = attributes.map(get);
    const value = ratings[given as Vote] > 0 ? given : undefined;
    const run = { surveyId, sessionId, observationId, taskType, value };
    const drawn = (value ?? token ?? this.#getToken) ? JSON.stringify(run) : "";
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#thumbs?.leave();
    this.#root.firstChild?.remove();
    if (!drawn) return;
    const tag = appearance.language || this.closest<HTMLElement>("[lang]")?.lang || navigator.language;
    const language = tag.toLowerCase().split(/[-_]/)[0]!;
    // The first elements wait; later ones are drawn at once.
    const draw = draws[language + !!value] ?? (await loadDraw(language, !!value));
    if (drawn !== this.#drawn) return;
    const start = () =>
      (this.#thumbs = createThumbs(rate, {
        ...run,
        language: tag,
        getToken: () => get("token") ?? this.#getToken!(),
      } as ThumbsOptions));
    this.#root.adoptedStyleSheets = [sheet];
    this.#root.append(draw(start, !!value));
  }
}

async function loadDraw(tag: string, isVoted: boolean) {
  const ready = isVoted || prepare(rate);
  const [words, language] = await loadThumbsTexts(tag, load);
  await ready;
  const dir = appearance.direction ?? (/^(ar|he)$/.test(language) ? "rtl" : "ltr");
  return (draws[language + isVoted] ??= createDraw({ ...words, ...appearance.texts }, language, dir));
}

/** Defines `<afterword-thumbs>`. A second call makes later elements vote with the new `rate`. */
export function defineThumbs(
  ...newest: [rate: Afterword["rate"], appearance: ThumbsAppearance, load?: LoadWords]
): void {
  [rate, appearance, load] = newest;
  draws = {};
  if (customElements.get("afterword-thumbs")) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  customElements.define("afterword-thumbs", ThumbsElement);
}
