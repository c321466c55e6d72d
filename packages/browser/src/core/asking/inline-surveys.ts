import type { BootstrapReply } from "@afterword/protocol";
import type { Reporting, AskOptions, InstalledToken } from "../public/index.ts";
import type { Refuse, SurveyRequest } from "./candidate.ts";

/** The part of the client that it uses. */
interface InlineClient {
  refuse: Refuse;
  /** Shows the survey if this person may be asked. */
  offer(request: SurveyRequest, definitions?: BootstrapReply): unknown;
  schedule(): void;
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
  readonly #context: Reporting;
  /** Requests that wait for the service, for consent or for the end of a task. */
  #waiting: SurveyRequest[] = [];
  #observer?: MutationObserver;

  constructor(client: InlineClient, context: Reporting) {
    this.#client = client;
    this.#context = context;
  }

  add(request: SurveyRequest, options: AskOptions) {
    const { slot } = request;
    if (slot?.localName === "afterword-survey") this.#addElement(request, slot);
    else this.#add(request, options);
  }

  /** Asks for all whose element is still in the page. @param isLater whether they stay for another reply */
  proceed(definitions?: BootstrapReply, isLater?: boolean) {
    for (const request of isLater ? this.#waiting : this.#waiting.splice(0))
      if (request.slot?.isConnected !== false && this.#isForItsSurvey(request, definitions))
        void this.#client.offer(request, definitions);
  }

  #isForItsSurvey(request: SurveyRequest, definitions?: BootstrapReply) {
    const { slug, tokens } = request;
    const { report, errorOf } = this.#context;
    const survey = definitions?.surveys.find((one) => one?.slug === slug);
    const token = survey && tokens?.[survey.id];
    if (token) request.run = { ...request.run!, surveyId: survey.id, token };
    const { run } = request;
    if (!run || !survey || run.surveyId === survey.id) return true;
    const given = tokens ? Object.keys(tokens).join('", "') : run.surveyId;
    report(errorOf(`the token is for survey "${given}" and not "${survey.id}"`));
    this.#client.refuse("unlinked", request, survey);
    return false;
  }

  drop() {
    for (const request of this.#waiting.splice(0)) this.#client.refuse("superseded", request);
  }

  #addElement(request: SurveyRequest, element: HTMLElement) {
    const { MutationObserver } = element.ownerDocument.defaultView!;
    this.#observer ??= new MutationObserver((changes) => {
      for (const changed of new Set(changes.map(({ target }) => target as HTMLElement))) {
        changed.querySelector("afterword-view")?.remove();
        if (changed.isConnected) this.#addElement({ slot: changed, mayTakeFocus: () => false }, changed);
      }
    });
    this.#observer.observe(element, { attributeFilter: attributes });
    const { slug, ...options } = optionsOf(element);
    this.#add({ ...request, slug }, options);
  }

  #add(request: SurveyRequest, { slot, openedByPerson, tokens, ...run }: AskOptions) {
    const { report, errorOf } = this.#context;
    const { slug } = request;
    const { surveyId, token, sessionId } = run;
    const texts = tokens ? [sessionId] : [surveyId, token, sessionId];
    const isComplete = texts.every((text) => text && typeof text === "string");
    if (!slug || (!isComplete && (tokens ?? token ?? sessionId)))
      return report(errorOf("slug, surveyId, token and sessionId must be text"));
    // Does not wait for elements that have left the page.
    this.#waiting = this.#waiting.filter(
      (other) => other.slot !== request.slot && other.slot?.isConnected !== false,
    );
    this.#waiting.push({ ...request, tokens, run: isComplete ? (run as InstalledToken) : undefined });
    this.#client.schedule();
  }
}
