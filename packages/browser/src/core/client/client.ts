import type { BootstrapReply, SurveyDefinition, Traits } from "@afterword/protocol";
import type { Afterword } from "./afterword.ts";
import { createCandidate } from "./candidate.ts";
import { createParts, type AskingParts } from "../parts/index.ts";
import type { Asking, Candidate, Refuse, SurveyRequest } from "../asking/index.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import type { Inline } from "../inline/index.ts";
import type { Loaders } from "./loaders.ts";
import {
  type AfterwordOptions,
  type AskOptions,
  type InstalledToken,
  isSecret,
  idAsText,
} from "../options/index.ts";
import { type Page, wipe } from "../page/index.ts";
import { requireText } from "../events/index.ts";
import { requestedSurveys, surveyRequestOf } from "./survey-request.ts";

/** Decides whether and when to ask. Code that only an open survey needs is loaded on demand. */
export class Client implements Afterword {
  declare readonly on: Afterword["on"];
  declare readonly report: AskingParts["report"];
  readonly #load: Loaders;
  readonly #parts: ReturnType<typeof createParts>;
  readonly #definitions: Definitions;
  #installed: InstalledToken[] = []; // Newest first.
  #asking?: Asking;
  #loading?: ReturnType<Loaders["asking"]>;
  #loadingRating?: ReturnType<Loaders["rating"]>;
  #inline?: Inline;
  #mayStore: boolean;
  #isTaskRunning?: boolean;
  #isAfterRun?: boolean;
  #isOver?: boolean;
  /** Incremented by whatever makes a pending reply useless: another person, withdrawn consent, a new task. */
  #generation = 0;
  #timer?: number;
  #awaitingConsent: (() => void)[] = []; // What waits for consent.
  #request?: SurveyRequest;

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    this.#mayStore = options.consent === "granted";
    this.#load = load;
    this.#parts = createParts(page, options, load, () => this.#mayStore);
    ({ on: this.on, report: this.report } = this.#parts);
    this.#definitions = createDefinitions(this.#parts, () => this.schedule());
    this.#isOver = isSecret(options.key);
    page.addEventListener("online", this.schedule);
    this.#sendQueued();
    this.schedule();
  }

  respondent() {
    const { id, kind } = this.#parts.identity.current();
    return { id, kind };
  }

  identify(given: string | number | bigint, traits?: Traits) {
    const userId = idAsText(given);
    if (userId !== given || !userId)
      void this.#parts.withDebugFile((file) => file.reportUserId(this.#parts, given, !!userId));
    if (!userId) return;
    // Throws for values that are not JSON, such as cycles, before anything changes. A copy: later changes do not count.
    traits = JSON.parse(JSON.stringify(traits ?? {})) as Traits;
    const { id, kind } = this.#parts.identity.current();
    if (id !== userId) {
      if (kind === "identified") this.#forgetPerson();
      this.#startAnew();
    }
    this.#parts.identity.identify(userId, traits);
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
    // A survey that the person has begun keeps its token.
    this.#asking?.leave("task");
    this.#installed = [];
  }

  resolve() {
    this.#isTaskRunning = false;
    this.#isAfterRun = true;
    this.#asking?.resolve();
    this.schedule();
  }

  ask(slug: string, options?: AskOptions) {
    requireText("slug", slug);
    const request = surveyRequestOf(this.#parts.page, options, slug);
    if (options?.slot ?? options?.token)
      void this.#parts.withFile(
        this.#load.inline(),
        ({ Inline }) => (this.#inline ??= new Inline(this, this.#parts)).add(request, options),
        () => this.refuse("load-failed", request),
      );
    else {
      this.#supersede(slug);
      this.#request = request;
    }
    if (!this.#mayAsk()) this.refuse("consent", request);
    else if (this.#isTaskRunning) this.refuse("task", request);
    this.schedule();
  }

  preview(definition: SurveyDefinition, options?: AskOptions) {
    requireText("slug", definition?.slug);
    this.close();
    const request = surveyRequestOf(this.#parts.page, options, definition.slug);
    void this.#begin(this.#candidateOf(definition, request));
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    while (given[2]?.ready && !this.#mayAsk())
      await new Promise<void>((go) => this.#awaitingConsent.push(go));
    const result = await this.#withAsking(
      (asking, { createRate }) =>
        createRate(this.#parts, asking)(this.#mayAsk(), this.#definitions.load, ...given),
      () => (this.#loadingRating ??= this.#load.rating()),
    );
    return result ?? "refused";
  }

  mute(duration: string) {
    this.#parts.store.write("muted" + duration, "1");
    this.schedule();
  }

  close() {
    this.#supersede();
    this.#inline?.drop();
    this.#generation++;
    this.#asking?.leave("host");
  }

  consent(isGranted: boolean) {
    const before = this.respondent().id;
    this.#mayStore = isGranted;
    if (!isGranted) {
      this.#asking?.leave("consent");
      wipe(this.#parts.store);
      wipe(this.#parts.drafts);
    }
    for (const resume of this.#awaitingConsent.splice(0)) resume();
    this.#parts.identity.consentChanged(isGranted);
    // Deleting stored data also forgets earlier answers, so ask the service again.
    if (!isGranted || this.#parts.identity.current().id !== before) this.#startAnew();
    this.#sendQueued();
    this.schedule();
  }

  reset() {
    this.#forgetPerson();
    this.#parts.identity.reset();
    this.#startAnew();
    this.schedule();
  }

  destroy() {
    this.#isOver = true;
    this.close();
    this.#definitions.drop();
    this.#asking?.stop();
    this.#parts.page.removeEventListener("online", this.schedule);
    this.#parts.stopListening();
  }

  #forgetPerson() {
    this.#asking?.leave("identity");
    this.#installed = [];
    wipe(this.#parts.drafts);
  }

  /** Drops the earlier request, unless the same survey is requested again. */
  #supersede(next?: string) {
    const request = this.#request;
    this.#request = undefined;
    if (request && request.slug !== next) this.refuse("superseded", request);
  }

  #startAnew() {
    this.#generation++;
    this.#definitions.drop();
  }

  /** Combines calls made in a row: one request to the service, for the person of the last call. */
  schedule = () => {
    const { page, report } = this.#parts;
    page.clearTimeout(this.#timer);
    this.#timer = page.setTimeout(() => this.#proceed().catch(report));
  };

  #mayAsk = () => this.#mayStore || this.#parts.options.consent !== "required";

  #withAsking<File, Result>(
    work: (asking: Asking, file: File) => Result,
    file?: () => Promise<File>,
    refuse?: Candidate["refuse"],
  ) {
    return this.#parts.withFile(
      // Kept because importing a module again takes time, and the person may leave the page right after answering.
      Promise.all([(this.#loading ??= this.#load.asking()), file?.() as Promise<File>]),
      ([{ Asking }, file]) =>
        this.#isOver ? undefined : work((this.#asking ??= new Asking(this.#parts)), file),
      () => {
        this.#loading = this.#loadingRating = undefined;
        refuse?.("load-failed");
      },
    );
  }

  #sendQueued() {
    if (this.#mayStore && (this.#asking ?? this.#parts.store.names("outbox:")[0]))
      void this.#withAsking((asking) => asking.drain());
  }

  async #proceed() {
    // Without a mute, the page loads nothing for it.
    if ((this.#parts.muted ||= this.#parts.store.names("muted")[0]))
      await this.#parts.withDebugFile(({ mute }) => mute(this.#parts));
    if (this.#isOver || !this.#mayAsk() || this.#isTaskRunning) return;
    requireText("key and baseUrl", this.#parts.options.key, this.#parts.options.baseUrl);
    const generation = this.#generation;
    const definitions = await this.#definitions.load();
    if (generation !== this.#generation) return;
    // What was asked for waits for the next reply, if one is to come.
    const isLater = !!this.#definitions.failure?.repeatInMs;
    this.#inline?.proceed(definitions, isLater);
    const request = this.#request ?? { ...surveyRequestOf(this.#parts.page), isAfterRun: this.#isAfterRun };
    if (!isLater) this.#request = this.#isAfterRun = undefined;
    if (request.slug || !this.#asking?.isBusy()) await this.offer(request, definitions);
  }

  async offer(request: SurveyRequest, definitions?: BootstrapReply) {
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

  #candidateOf(survey: SurveyDefinition, request: SurveyRequest, definitions?: BootstrapReply) {
    return createCandidate(this.#parts, this.#installed, survey, request, definitions, this.refuse);
  }

  /** Returns true if its definition cannot be drawn, so that the next survey gets its turn. */
  #begin(candidate: Candidate, generation = this.#generation) {
    return this.#withAsking(
      (asking, { showSurvey }) =>
        generation === this.#generation
          ? asking.begin(candidate, showSurvey)
          : candidate.refuse("superseded"),
      this.#load.view,
      candidate.refuse,
    );
  }

  /** Emits `notShown`, and in debug mode explains it in the console. */
  refuse: Refuse = (reason, request, survey) => {
    const { emit, options, identity, withDebugFile } = this.#parts;
    const slug = survey?.slug ?? request.slug!;
    emit("notShown", { surveyId: survey?.id, slug, slot: request.slot, reason });
    if (options.debug)
      void withDebugFile(({ explain }) => explain(this.#parts, reason, slug, identity.current(), survey));
  };
}
