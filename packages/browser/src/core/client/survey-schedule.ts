import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { Context, DebugModule, EntryPointSettings } from "../context/index.ts";
import {
  createCandidate,
  type Candidate,
  type CloseReason,
  type Inline,
  type OpenSurveys,
  type Refuse,
  type SurveyRequest,
} from "../asking/index.ts";
import { createDefinitions } from "./definitions.ts";
import type { AskOptions, InstalledToken } from "../options/index.ts";
import type { Page } from "../page/index.ts";
import { requireText } from "../events/index.ts";
import type { createRate } from "../rating/index.ts";
import type { ShowSurvey } from "../survey/index.ts";

/** How each entry point loads the files that are fetched on demand. */
export interface Loaders extends EntryPointSettings {
  /** For surveys and the answers that wait. */
  asking(): Promise<{ OpenSurveys: typeof OpenSurveys }>;
  /** For ratings outside a survey, beside that for surveys. */
  rating(): Promise<{ createRate: typeof createRate }>;
  /** For drawing a survey. */
  view(): Promise<{ showSurvey: ShowSurvey }>;
  /** For surveys in elements of the page, each with a token of its own if it has one. */
  inline(): Promise<{ Inline: typeof Inline }>;
  /** For `debug`, error messages, and features that few pages use. */
  debug(): Promise<DebugModule>;
}

/** Decides when a survey is asked: as soon as the page, the person and the service allow it. */
export abstract class SurveySchedule {
  protected readonly context: Context;
  protected readonly load: Loaders;
  protected readonly definitions: ReturnType<typeof createDefinitions>;
  #installed: InstalledToken[] = []; // Newest first.
  #asking?: OpenSurveys;
  #loading?: ReturnType<Loaders["asking"]>;
  #inline?: Inline;
  /** What the page asked for last; it waits for consent, for the end of a task, and for the service. */
  #request?: SurveyRequest;
  #isTaskRunning?: boolean;
  #isAfterRun?: boolean;
  #isOver?: boolean;
  /** Incremented by whatever makes a pending reply useless: another person, withdrawn consent, a new task. */
  #generation = 0;
  #timer?: number;

  constructor(context: Context, load: Loaders) {
    this.context = context;
    this.load = load;
    this.definitions = createDefinitions(context, () => this.schedule());
    context.page.addEventListener("online", this.schedule);
  }

  /** Whether the service may be asked. */
  protected abstract mayAsk(): boolean;

  /** Combines calls made in a row: one request to the service, for the person of the last call. */
  schedule = () => {
    const { page, report } = this.context;
    page.clearTimeout(this.#timer);
    this.#timer = page.setTimeout(() => this.#proceed().catch(report));
  };

  install = (token: InstalledToken) => {
    requireText("surveyId, token and sessionId", token?.surveyId, token?.token, token?.sessionId);
    this.#installed.unshift(token);
    this.#isAfterRun = true;
    this.schedule();
  };

  task = () => {
    this.#isTaskRunning = true;
    this.#generation++;
    this.leave("task");
  };

  resolve = () => {
    this.#isTaskRunning = false;
    this.#isAfterRun = true;
    this.#asking?.resolve();
    this.schedule();
  };

  ask = (slug: string, options?: AskOptions) => {
    requireText("slug", slug);
    const request = requestOf(this.context.page, options, slug);
    if (options?.slot ?? options?.token)
      void this.context.withFile(
        this.load.inline(),
        ({ Inline }) => (this.#inline ??= new Inline(this, this.context)).add(request, options),
        () => this.refuse("load-failed", request),
      );
    else {
      this.#supersede(slug);
      this.#request = request;
    }
    if (!this.mayAsk()) this.refuse("consent", request);
    else if (this.#isTaskRunning) this.refuse("task", request);
    this.schedule();
  };

  preview = (definition: SurveyDefinition, options?: AskOptions) => {
    requireText("slug", definition?.slug);
    this.close();
    void this.#begin(this.#candidateOf(definition, requestOf(this.context.page, options, definition.slug)));
  };

  /** Closes what is shown, and drops what waits. */
  close = () => {
    this.#supersede();
    this.#inline?.drop();
    this.#generation++;
    this.leave("host");
  };

  /** Closes what is shown. Another task or person has other tokens; a survey that the person has begun keeps its own. */
  protected leave(reason: CloseReason) {
    this.#asking?.leave(reason);
    if (reason === "task" || reason === "identity") this.#installed = [];
  }

  /** Drops what the service has said of another person. */
  protected startAnew() {
    this.#generation++;
    this.definitions.drop();
  }

  protected stop() {
    this.#isOver = true;
    this.close();
    this.startAnew();
    this.#asking?.stop();
    this.context.page.removeEventListener("online", this.schedule);
  }

  /** Sends what waits on the device, if anything does. */
  protected drain() {
    if (this.#asking ?? this.context.store.names("outbox:")[0])
      void this.withAsking((asking) => asking.drain());
  }

  /** Calls `work` with what shows surveys and sends answers, and with a further file. Never rejects. */
  protected withAsking<File, Result>(
    work: (asking: OpenSurveys, file: File) => Result,
    file?: () => Promise<File>,
    failed?: () => void,
  ) {
    return this.context.withFile(
      // Kept because importing a module again takes time, and the person may leave the page right after answering.
      Promise.all([(this.#loading ??= this.load.asking()), file?.() as Promise<File>]),
      ([{ OpenSurveys }, file]) =>
        this.#isOver ? undefined : work((this.#asking ??= new OpenSurveys(this.context)), file),
      () => {
        this.#loading = undefined;
        failed?.();
      },
    );
  }

  /** Drops the earlier request, unless the same survey is requested again. */
  #supersede(next?: string) {
    const request = this.#request;
    this.#request = undefined;
    if (request && request.slug !== next) this.refuse("superseded", request);
  }

  async #proceed() {
    // Without a mute, the page loads nothing for it.
    if ((this.context.muted ||= this.context.store.names("muted")[0]))
      await this.context.withDebugFile(({ mute }) => mute(this.context));
    if (this.#isOver || !this.mayAsk() || this.#isTaskRunning) return;
    requireText("key and baseUrl", this.context.options.key, this.context.options.baseUrl);
    const generation = this.#generation;
    const definitions = await this.definitions.load();
    if (generation !== this.#generation) return;
    // What was asked for waits for the next reply, if one is to come.
    const isLater = !!this.definitions.failure?.repeatInMs;
    this.#inline?.proceed(definitions, isLater);
    const request = this.#request ?? { ...requestOf(this.context.page), isAfterRun: this.#isAfterRun };
    if (!isLater) this.#request = this.#isAfterRun = undefined;
    if (request.slug || !this.#asking?.isBusy()) await this.offer(request, definitions);
  }

  /** Shows the first requested survey that this person may be asked. */
  async offer(request: SurveyRequest, definitions?: BootstrapReply) {
    const generation = this.#generation;
    const surveys = requestedSurveys(request, this.#installed, definitions);
    if (request.slug && !surveys[0] && !request.isRefused)
      this.refuse(definitions ? "unknown" : (this.definitions.failure?.reason ?? "unreachable"), request);
    request.isRefused = !definitions;
    for (const survey of surveys) {
      const candidate = this.#candidateOf(survey, request, definitions);
      const isManual = !request.slug && survey.trigger !== "auto";
      const reason = candidate.whyNot() ?? (isManual ? "manual" : await candidate.checkTargeting());
      if (reason) candidate.refuse(reason);
      else if (!(await this.#begin(candidate, generation))) return;
    }
  }

  #candidateOf(survey: SurveyDefinition, request: SurveyRequest, definitions?: BootstrapReply) {
    return createCandidate(this.context, this.#installed, survey, request, definitions, this.refuse);
  }

  /** Returns true if its definition cannot be drawn, so that the next survey gets its turn. */
  #begin(candidate: Candidate, generation = this.#generation) {
    return this.withAsking(
      (asking, { showSurvey }) =>
        generation === this.#generation
          ? asking.begin(candidate, showSurvey)
          : candidate.refuse("superseded"),
      this.load.view,
      () => candidate.refuse("load-failed"),
    );
  }

  /** Emits `notShown`, and in debug mode explains it in the console. */
  refuse: Refuse = (reason, request, survey) => {
    const { emit, options, withDebugFile } = this.context;
    const slug = survey?.slug ?? request.slug!;
    emit("notShown", { surveyId: survey?.id, slug, slot: request.slot, reason });
    if (options.debug) void withDebugFile(({ explain }) => explain(this.context, reason, slug, survey));
  };
}

/** Makes a request of what the page asks for. @param slug absent for any survey that asks by itself */
function requestOf(page: Page, { slot, openedByPerson }: AskOptions = {}, slug?: string): SurveyRequest {
  // If the person acts while files and replies load, the focus stays with them.
  let isIdle = openedByPerson;
  const touch = () => (isIdle = false);
  for (const event of openedByPerson ? ["keydown", "pointerdown"] : [])
    page.addEventListener(event, touch, { once: true, capture: true });
  return { slug, slot, isByPerson: openedByPerson, mayTakeFocus: () => !!isIdle };
}

/**
 * The requested surveys. After a run also those that only the page may ask for, to say so: the ones with a token, or all if
 * none asks by itself. The chunk that asks validates each; here a reply may still contain anything.
 */
function requestedSurveys(
  { slug, isAfterRun }: SurveyRequest,
  installed: readonly InstalledToken[],
  { surveys = [] }: Partial<BootstrapReply> = {},
) {
  const found = surveys.filter((survey) => (slug ? survey?.slug === slug : survey?.trigger === "auto"));
  if (!isAfterRun) return found;
  const isExpected = ({ id }: SurveyDefinition) =>
    installed.some(({ surveyId }) => surveyId === id) || !(installed[0] ?? found[0]);
  return [...surveys.filter((survey) => survey && !found.includes(survey) && isExpected(survey)), ...found];
}
