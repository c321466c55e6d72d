import type { BootstrapReply } from "@afterword/protocol";
import type { AskingParts } from "./asking-parts.ts";
import type { AskOptions, InstalledToken } from "./options.ts";
import type { Refuse, Wish } from "./wish.ts";

/** The chunk for surveys in elements of the page. */
export interface InlineModule {
  Inline: typeof Inline;
}

/** The part of the client that it uses. */
interface InlineClient {
  refuse: Refuse;
  /** Shows the survey if this person may be asked. */
  grant(wish: Wish, definitions?: BootstrapReply): unknown;
  soon(): void;
}

/** A change to one of these means another survey or another run. */
const attributes = ["slug", "survey-id", "token", "session-id", "observation-id", "task-type"];

/** Reads the attributes of `<afterword-survey>` as options. */
const optionsOf = (element: Element): AskOptions & { slug?: string } =>
  Object.fromEntries(
    attributes.map((name) => [
      name.replace(/-./, (part) => part[1]!.toUpperCase()),
      element.getAttribute(name) || undefined,
    ]),
  );

/** Any number of surveys in elements of the page, each about its own run if it has a token. */
export class Inline {
  readonly #client: InlineClient;
  readonly #parts: AskingParts;
  /** Requests that wait for the service, for consent or for the end of a task. */
  #wishes: Wish[] = [];
  #observer?: MutationObserver;

  constructor(client: InlineClient, parts: AskingParts) {
    this.#client = client;
    this.#parts = parts;
  }

  add(wish: Wish, options: AskOptions) {
    const { slot } = wish;
    if (slot?.localName === "afterword-survey") this.#addElement(wish, slot);
    else this.#add(wish, options);
  }

  /** Asks for all whose element is still in the page. */
  proceed(definitions?: BootstrapReply) {
    for (const wish of this.#wishes.splice(0))
      if (wish.slot?.isConnected !== false && this.#isForItsSurvey(wish, definitions))
        void this.#client.grant(wish, definitions);
  }

  #isForItsSurvey(wish: Wish, definitions?: BootstrapReply) {
    const { slug, tokens } = wish;
    const { report, AfterwordError } = this.#parts;
    const survey = definitions?.surveys.find((one) => one?.slug === slug);
    const token = survey && tokens?.[survey.id];
    if (token) wish.run = { ...wish.run!, surveyId: survey.id, token };
    const { run } = wish;
    if (!run || !survey || run.surveyId === survey.id) return true;
    const given = tokens ? Object.keys(tokens).join('", "') : run.surveyId;
    const message = `the token is for survey "${given}" and not "${survey.id}"`;
    report(new AfterwordError("invalid_argument", message));
    this.#client.refuse("unlinked", wish, survey);
    return false;
  }

  /** Drops all waiting requests. */
  drop() {
    for (const wish of this.#wishes.splice(0)) this.#client.refuse("superseded", wish);
  }

  #addElement(wish: Wish, element: HTMLElement) {
    const { MutationObserver } = element.ownerDocument.defaultView!;
    this.#observer ??= new MutationObserver((changes) => {
      for (const changed of new Set(changes.map(({ target }) => target as HTMLElement))) {
        changed.querySelector("afterword-view")?.remove();
        if (changed.isConnected) this.#addElement({ slot: changed, mayTakeFocus: () => false }, changed);
      }
    });
    this.#observer.observe(element, { attributeFilter: attributes });
    const { slug, ...options } = optionsOf(element);
    this.#add({ ...wish, slug }, options);
  }

  #add(wish: Wish, { slot, openedByPerson, tokens, ...run }: AskOptions) {
    const { report, AfterwordError } = this.#parts;
    const { slug } = wish;
    const { surveyId, token, sessionId } = run;
    const texts = tokens ? [sessionId] : [surveyId, token, sessionId];
    const isComplete = texts.every((text) => text && typeof text === "string");
    if (!slug || (!isComplete && (tokens ?? token ?? sessionId)))
      return report(
        new AfterwordError("invalid_argument", "slug, surveyId, token and sessionId must be text"),
      );
    // Does not wait for elements that have left the page.
    this.#wishes = this.#wishes.filter(
      (other) => other.slot !== wish.slot && other.slot?.isConnected !== false,
    );
    this.#wishes.push({ ...wish, tokens, run: isComplete ? (run as InstalledToken) : undefined });
    this.#client.soon();
  }
}
