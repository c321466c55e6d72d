import type { BootstrapReply, SurveyDefinition, Traits } from "@afterword/protocol";
import type { Candidate, CloseReason, OpenSurveys, Refuse } from "../asking/index.ts";
import {
  createCandidate,
  isRemoved,
  requestedSurveys,
  requestOf,
  type SurveyRequest,
} from "../asking/index.ts";
import { createContext, type Context, type DebugModule, type EntryPointSettings } from "../context/index.ts";
import { createDefinitions } from "./definitions.ts";
import { type Page, wipe } from "../page/index.ts";
import type { Afterword, AfterwordOptions, AskOptions, InstalledToken, ShowSurvey } from "../public/index.ts";
import { idAsText, isSecret, requireText } from "../public/index.ts";
import type { createRate } from "../rating/index.ts";

/** How each entry point loads the files that are fetched on demand. */
export interface Loaders extends EntryPointSettings {
  /** For surveys and the answers that wait. */
  asking(): Promise<{ OpenSurveys: typeof OpenSurveys }>;
  /** For ratings outside a survey, beside that for surveys. */
  rating(): Promise<{ createRate: typeof createRate }>;
  /** For drawing a survey; absent where the page draws all of them itself. */
  view?(): Promise<{ showSurvey: ShowSurvey }>;
  /** For `debug`, error messages, and features that few pages use. */
  debug(): Promise<DebugModule>;
}

/** Runs the page's commands, and asks a survey as soon as the page, the person and the service allow it. */
export class Client implements Afterword {
  readonly on: Afterword["on"];
  readonly report: Context["report"];
  readonly #context: Context;
  readonly #load: Loaders;
  readonly #definitions: ReturnType<typeof createDefinitions>;
  #mayStore: boolean;
  #awaitingConsent: (() => void)[] = [];
  #installed: InstalledToken[] = []; // Newest first.
  #asking?: OpenSurveys;
  #loading?: ReturnType<Loaders["asking"]>;
  #rate?: ReturnType<typeof createRate>;
  /** What the page asked for last for each place; it waits for consent, for the end of a task, and for the service. */
  #requests: SurveyRequest[] = [];
  #isTaskRunning?: boolean;
  #isAfterRun?: boolean;
  #isOver?: boolean;
  /** Incremented by whatever makes a pending reply useless: another person, withdrawn consent, a new task. */
  #generation = 0;
  #timer?: number;

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    this.#mayStore = options.consent === "granted";
    this.#load = load;
    this.#context = createContext(page, options, load, () => this.#mayStore);
    ({ on: this.on, report: this.report } = this.#context);
    this.#definitions = createDefinitions(this.#context, () => this.schedule());
    page.addEventListener("online", this.schedule, this.#context.over);
    if (isSecret(options.key)) this.destroy();
    this.#goOn();
  }

  respondent() {
    const { id, kind } = this.#context.identity.current();
    return { id, kind };
  }

  identify(given: string | number | bigint, traits?: Traits) {
    const userId = idAsText(given);
    if (userId !== given || !userId)
      void this.#context.withDebugFile((file) => file.reportUserId(this.#context, given, !!userId));
    if (!userId) return;
    // Throws for values that are not JSON, such as cycles, before anything changes. A copy: later changes do not count.
    traits = JSON.parse(JSON.stringify(traits ?? {})) as Traits;
    const { id, kind } = this.#context.identity.current();
    if (id !== userId) {
      if (kind === "identified") this.#forgetPerson();
      this.#startAnew();
    }
    this.#context.identity.identify(userId, traits);
    this.schedule();
  }

  install(token: InstalledToken) {
    requireText("surveyId, token and sessionId", token?.surveyId, token?.token, token?.sessionId);
    this.#installed.unshift(token);
    this.#isAfterRun = true;
    this.schedule();
  }

  task() {
    this.#isTaskRunning = true;
    this.#generation++;
    this.#leave("task");
  }

  resolve() {
    this.#isTaskRunning = false;
    this.#isAfterRun = true;
    this.#asking?.resolve();
    this.schedule();
  }

  ask(slug: string, options?: AskOptions) {
    requireText("slug", slug);
    const request = requestOf(this.#context.page, options, slug);
    this.#supersede(request);
    this.#requests.push(request);
    if (!this.#mayAsk()) this.refuse("consent", request);
    else if (this.#isTaskRunning) this.refuse("task", request);
    this.schedule();
  }

  preview(definition: SurveyDefinition, options?: AskOptions) {
    requireText("slug", definition?.slug);
    this.close();
    void this.#begin(this.#candidateOf(definition, requestOf(this.#context.page, options, definition.slug)));
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    while (given[2]?.ready && !this.#mayAsk())
      await new Promise<void>((go) => this.#awaitingConsent.push(go));
    const result = await this.#withAsking(
      (asking, file) => {
        this.#rate ??= file!.createRate(this.#context, asking, this.#definitions.load);
        return this.#rate(this.#mayAsk(), ...given);
      },
      async () => (this.#rate ? undefined : this.#load.rating()),
    );
    return result ?? "refused";
  }

  mute(duration: string) {
    this.#context.store.write("muted" + duration, "1");
    this.schedule();
  }

  /** Closes what is shown, and drops what waits. */
  close() {
    this.#supersede();
    this.#generation++;
    this.#leave("host");
  }

  consent(isGranted: boolean) {
    const before = this.respondent().id;
    this.#mayStore = isGranted;
    if (!isGranted) {
      this.#leave("consent");
      wipe(this.#context.store);
      wipe(this.#context.drafts);
    }
    for (const resume of this.#awaitingConsent.splice(0)) resume();
    this.#context.identity.consentChanged(isGranted);
    // Deleting stored data also forgets earlier answers, so ask the service again.
    if (!isGranted || this.respondent().id !== before) this.#startAnew();
    this.#goOn();
  }

  reset() {
    this.#forgetPerson();
    this.#context.identity.reset();
    this.#startAnew();
    this.schedule();
  }

  destroy() {
    this.#isOver = true;
    this.close();
    this.#startAnew();
    this.#asking?.stop();
    this.#context.over.abort();
  }

  /** Combines calls made in a row: one request to the service, for the person of the last call. */
  schedule = () => {
    const { page, report } = this.#context;
    page.clearTimeout(this.#timer);
    this.#timer = page.setTimeout(() => this.#proceed().catch(report));
  };

  /** Shows the first requested survey that this person may be asked. */
  async #offer(request: SurveyRequest, definitions?: BootstrapReply) {
    const generation = this.#generation;
    const surveys = requestedSurveys(request, this.#installed, definitions);
    if (request.slug && !surveys[0] && !request.isRefused)
      this.refuse(definitions ? "unknown" : (this.#definitions.failure?.reason ?? "unreachable"), request);
    request.isRefused = !definitions;
    for (const survey of surveys) {
      const candidate = this.#candidateOf(survey, request, definitions);
      const isManual = !request.slug && survey.trigger !== "auto";
      const reason = candidate.whyNot() ?? (isManual ? "manual" : await candidate.checkTargeting());
      if (reason) candidate.refuse(reason);
      else if (!(await this.#begin(candidate, generation))) return;
    }
  }

  /** Emits `notShown`, and in debug mode explains it in the console. */
  refuse: Refuse = (reason, request, survey) => {
    const { emit, options, withDebugFile } = this.#context;
    const slug = survey?.slug ?? request.slug!;
    emit("notShown", { surveyId: survey?.id, slug, slot: request.slot, reason });
    if (options.debug) void withDebugFile(({ explain }) => explain(this.#context, reason, slug, survey));
  };

  #mayAsk() {
    return this.#mayStore || this.#context.options.consent !== "required";
  }

  #goOn() {
    if (this.#mayStore) this.#drain();
    this.schedule();
  }

  #forgetPerson() {
    this.#leave("identity");
    wipe(this.#context.drafts);
  }

  /** Drops what the service has said of another person. */
  #startAnew() {
    this.#generation++;
    this.#definitions.drop();
  }

  /** Closes what is shown. Another task or person has other tokens; a survey that the person has begun keeps its own. */
  #leave(reason: CloseReason) {
    this.#asking?.leave(reason);
    if (reason === "task" || reason === "identity") this.#installed = [];
  }

  /** Drops what waits for the same place, or all; and, over the page, says so unless the same survey is requested again. */
  #supersede(next?: SurveyRequest) {
    const before = this.#requests;
    this.#requests = before.filter((one) => next && one.slot !== next.slot && !isRemoved(one));
    for (const request of before)
      if (!next || !(request.slot ?? next.slot ?? request.slug === next.slug))
        this.refuse("superseded", request);
  }

  /** Sends what waits on the device, if anything does. */
  #drain() {
    if (this.#asking ?? this.#context.store.names("outbox:")[0])
      void this.#withAsking((asking) => asking.drain());
  }

  /** Calls `work` with what shows surveys and sends answers, and with a further file. Never rejects. */
  #withAsking<File, Result>(
    work: (asking: OpenSurveys, file: File) => Result,
    file?: () => Promise<File>,
    failed?: () => void,
  ) {
    return this.#context.withFile(
      // Kept because importing a module again takes time, and the person may leave the page right after answering.
      Promise.all([(this.#loading ??= this.#load.asking()), file?.() as Promise<File>]),
      ([{ OpenSurveys }, file]) =>
        this.#isOver ? undefined : work((this.#asking ??= new OpenSurveys(this.#context)), file),
      () => {
        this.#loading = undefined;
        failed?.();
      },
    );
  }

  async #proceed() {
    // Without a mute, the page loads nothing for it.
    if ((this.#context.muted ||= this.#context.store.names("muted")[0]))
      await this.#context.withDebugFile(({ mute }) => mute(this.#context));
    if (this.#isOver || !this.#mayAsk() || this.#isTaskRunning) return;
    requireText("key and baseUrl", this.#context.options.key, this.#context.options.baseUrl);
    const generation = this.#generation;
    const definitions = await this.#definitions.load();
    if (generation !== this.#generation) return;
    // What was asked for waits for the next reply, if one is to come.
    const isLater = this.#definitions.failure?.repeatInMs;
    const requests = [...this.#requests];
    if (requests.every(({ slot }) => slot) && !this.#asking?.isBusy())
      requests.push({ ...requestOf(this.#context.page), isAfterRun: this.#isAfterRun });
    if (!isLater) {
      this.#requests = [];
      this.#isAfterRun = undefined;
    }
    await Promise.all(requests.map((request) => !isRemoved(request) && this.#offer(request, definitions)));
  }

  #candidateOf(survey: SurveyDefinition, request: SurveyRequest, definitions?: BootstrapReply) {
    return createCandidate(this.#context, this.#installed, survey, request, definitions, this.refuse);
  }

  /** Returns true if its definition cannot be drawn, so that the next survey gets its turn. */
  #begin(candidate: Candidate, generation = this.#generation) {
    return this.#withAsking(
      (asking, { showSurvey }) =>
        generation === this.#generation
          ? asking.begin(candidate, showSurvey)
          : candidate.refuse("superseded"),
      this.#load.view,
      () => candidate.refuse("load-failed"),
    );
  }
}
