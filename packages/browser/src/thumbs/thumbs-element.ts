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
import { drawThumbs } from "./draw-thumbs.ts";
import { loadThumbsTexts, type AllThumbsTexts } from "./load-thumbs-texts.ts";
import css from "./thumbs.css?inline";

/** How the thumbs speak. */
export interface ThumbsAppearance extends Pick<SurveyAppearance, "language" | "direction"> {
  /** Own words; those that are left out stay as they are. */
  texts?: Partial<AllThumbsTexts>;
}

/** `<afterword-thumbs>` as scripts see it. */
export interface AfterwordThumbsElement extends HTMLElement {
  /** Called at the first press where there is no `token` attribute. */
  getToken?: ThumbsOptions["getToken"];
}

/** What all elements of the page have in common. */
let rate: Afterword["rate"];
let appearance: ThumbsAppearance;
let load: LoadWords | undefined;
let sheet: CSSStyleSheet;

const attributes = ["survey-id", "session-id", "observation-id", "task-type", "value", "token"];

class ThumbsElement extends (globalThis.HTMLElement ?? Object) implements AfterwordThumbsElement {
  static observedAttributes = attributes;
  #root = this.attachShadow({ mode: "open" });
  #getToken: ThumbsOptions["getToken"];
  #thumbs?: Thumbs;
  /** What is drawn, as text. */
  #drawn = "";

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
  }

  get getToken() {
    return this.#getToken;
  }
  set getToken(getToken) {
    this.#getToken = getToken;
    void this.#draw();
  }

  connectedCallback() {
    // A page may have set it before the element was defined.
    const { getToken } = this;
    delete this.getToken;
    this.getToken = getToken;
  }

  attributeChangedCallback() {
    void this.#draw();
  }

  disconnectedCallback() {
    this.#thumbs?.leave();
  }

  async #draw() {
    // Until all attributes are there.
    await undefined;
    const get = (name: string) => this.getAttribute(name) || undefined;
    const [surveyId = "", sessionId = "", observationId, taskType, given, token] = attributes.map(get);
    const value = ratings[given as Vote] > 0 ? (given as Vote) : undefined;
    const run = { surveyId, sessionId, observationId, taskType };
    const drawn = (value ?? token ?? this.#getToken) ? JSON.stringify([run, value]) : "";
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#thumbs?.leave();
    this.#root.replaceChildren();
    if (!drawn) return;
    const tag = appearance.language || this.closest<HTMLElement>("[lang]")?.lang || navigator.language;
    const wordsLoad = loadThumbsTexts(tag.toLowerCase().split(/[-_]/)[0]!, load);
    if (!value) await prepare(rate);
    const [words, language] = await wordsLoad;
    if (drawn !== this.#drawn) return;
    this.#thumbs = createThumbs(rate, {
      ...run,
      value,
      getToken: () => get("token") ?? this.#getToken!(),
    } as ThumbsOptions);
    const dir = appearance.direction ?? (/^(ar|he)$/.test(language) ? "rtl" : "ltr");
    drawThumbs(this.#root, this.#thumbs, { ...words, ...appearance.texts }, language, dir);
  }
}

/** Defines `<afterword-thumbs>`. Called again, it makes elements that come later vote by the newest `rate`. */
export function defineThumbs(
  ...newest: [rate: Afterword["rate"], appearance: ThumbsAppearance, load?: LoadWords]
): void {
  [rate, appearance, load] = newest;
  if (customElements.get("afterword-thumbs")) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  customElements.define("afterword-thumbs", ThumbsElement);
}
