import type { BootstrapReply, SurveyDefinition, Traits } from "@afterword/protocol";
import type { Afterword } from "./afterword.ts";
import { AfterwordError } from "./afterword-error.ts";
import { askRequest } from "./ask-request.ts";
import { createParts } from "./create-parts.ts";
import type { AskingParts } from "./asking-parts.ts";
import type { Asking, AskRequest } from "./asking.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import type { NotShownReason } from "./events.ts";
import type { Identity } from "./identity.ts";
import type { Loaders } from "./loaders.ts";
import type { AfterwordOptions, AskOptions, InstalledToken } from "./options.ts";
import type { Page } from "./page.ts";
import { requireText } from "./require-text.ts";
import { wipe } from "./store.ts";
import { wanted, wishOf, type Wish } from "./wish.ts";

/** How long a file of the widget may take; after that the page hears that the survey cannot be shown. */
const longestWaitInMs = 15_000;

/** Decides whether and when to ask. Code that only an open survey needs loads then. */
export class Client implements Afterword {
  declare readonly on: Afterword["on"];
  declare readonly report: AskingParts["report"];
  readonly #parts: AskingParts & { load: Loaders };
  readonly #identity: Identity;
  readonly #definitions: Definitions;
  readonly #installed = new Map<string, InstalledToken>();
  #asking?: Asking;
  #mayStore: boolean;
  #isTaskRunning?: boolean;
  #isOver?: boolean;
  /** Counts what makes a reply on its way worthless: another person, a withdrawal, a new task. */
  #turn = 0;
  #timer?: number;
  #wish?: Wish;

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    this.#mayStore = options.consent === "granted";
    const parts = createParts(page, options, load, this.#installed, () => this.#mayStore);
    ({ on: this.on, report: this.report } = parts);
    this.#parts = parts;
    this.#identity = parts.identity;
    this.#definitions = createDefinitions(parts);
    // Not sent, not even to be refused: it would pass logs and proxies.
    if (/^(\w+_)?sk_/.test(options.key)) {
      this.#isOver = true;
      parts.useWords(({ tellSecretKey }) => tellSecretKey(parts));
    }
    page.addEventListener("online", this.#soon);
    this.#sendWhatWaits();
    this.#soon();
  }

  respondent() {
    const { id, kind } = this.#identity.current();
    return { id, kind };
  }

  identify(userId: string, traits?: Traits) {
    requireText("userId", userId);
    // What is no JSON, such as a circle, throws here and changes nothing; what the page does to it later does not count.
    traits = JSON.parse(JSON.stringify(traits ?? {})) as Traits;
    const { id, kind } = this.#identity.current();
    if (id !== userId) {
      if (kind === "identified") this.#forgetPerson();
      this.#startAnew();
    }
    this.#identity.identify(userId, traits);
    this.#soon();
  }

  install(token: InstalledToken) {
    const { surveyId, sessionId } = token ?? {};
    requireText("surveyId, token and sessionId", surveyId, token?.token, sessionId);
    this.#installed.set(surveyId, token);
    this.#soon();
  }

  task() {
    this.#isTaskRunning = true;
    this.#turn++;
    // What the person has begun keeps its token.
    this.#asking?.leave("task");
    this.#installed.clear();
  }

  resolve() {
    this.#isTaskRunning = false;
    this.#asking?.resolve();
    this.#soon();
  }

  ask(slug: string, options?: AskOptions) {
    requireText("slug", slug);
    this.#supersede(slug);
    this.#wish = wishOf(this.#parts.page, options, slug);
    if (!this.#mayAsk()) this.#refuse(slug, "consent");
    else if (this.#isTaskRunning) this.#refuse(slug, "task");
    this.#soon();
  }

  preview(definition: SurveyDefinition, options?: AskOptions) {
    requireText("slug", definition?.slug);
    this.close();
    void this.#begin(this.#request(definition, wishOf(this.#parts.page, options, definition.slug)));
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    return (
      (await this.#withAsking((asking) => asking.rate(this.#mayAsk(), this.#definitions, ...given))) ??
      "refused"
    );
  }

  close() {
    this.#supersede();
    this.#turn++;
    this.#asking?.leave("host");
  }

  consent(isGranted: boolean) {
    const before = this.#identity.current().id;
    this.#mayStore = isGranted;
    if (!isGranted) {
      this.#asking?.leave("consent");
      wipe(this.#parts.store);
      wipe(this.#parts.drafts);
    }
    this.#identity.consentChanged(isGranted);
    // With what was kept goes what this page knew of answers: the service is asked again.
    if (!isGranted || this.#identity.current().id !== before) this.#startAnew();
    this.#sendWhatWaits();
    this.#soon();
  }

  reset() {
    this.#forgetPerson();
    this.#identity.reset();
    this.#startAnew();
    this.#soon();
  }

  destroy() {
    this.#isOver = true;
    this.close();
    this.#asking?.stop();
    this.#parts.page.removeEventListener("online", this.#soon);
  }

  /** The user has changed: closes what the previous one was shown. */
  #forgetPerson() {
    this.#asking?.leave("identity");
    this.#installed.clear();
    wipe(this.#parts.drafts);
  }

  /** What was asked for gives way, unless it is asked for once more. */
  #supersede(next?: string) {
    const { slug } = this.#wish ?? {};
    this.#wish = undefined;
    if (slug && slug !== next) this.#refuse(slug, "superseded");
  }

  #startAnew() {
    this.#turn++;
    this.#definitions.drop();
  }

  /** Calls made one after another count as one: the service is asked once, and for the person they end with. */
  #soon = () => {
    const { page, report } = this.#parts;
    page.clearTimeout(this.#timer);
    this.#timer = page.setTimeout(() => this.#proceed().catch(report));
  };

  #mayAsk() {
    return this.#mayStore || this.#parts.options.consent !== "required";
  }

  /** Loads what is needed to ask, or to send what waits. */
  #withAsking<Result>(work: (asking: Asking) => Result, request?: AskRequest) {
    const { load, page } = this.#parts;
    const giveUp = new Promise<never>((_, reject) => {
      page.setTimeout(reject, longestWaitInMs, "no answer");
    });
    return Promise.race([load.asking(), giveUp])
      .then(({ Asking, showSurvey }) =>
        this.#isOver ? undefined : work((this.#asking ??= new Asking(this.#parts, showSurvey))),
      )
      .catch((error) => {
        // A script tag needs no CORS headers, but the files that it loads do if they come from another origin.
        this.report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        request?.refuse("load-failed");
      });
  }

  #sendWhatWaits() {
    if (this.#mayStore && this.#parts.store.names("outbox:")[0])
      void this.#withAsking((asking) => asking.drain());
  }

  async #proceed() {
    if (this.#isOver || !this.#mayAsk() || this.#isTaskRunning) return;
    requireText("key and baseUrl", this.#parts.options.key, this.#parts.options.baseUrl);
    const turn = this.#turn;
    const definitions = await this.#definitions.load(this.#identity.current(), this.#parts.isPrivate());
    if (turn !== this.#turn) return;
    const wish = this.#wish ?? wishOf(this.#parts.page);
    const { slug } = wish;
    this.#wish = undefined;
    if (!slug && this.#asking?.isBusy()) return;
    const surveys = wanted(wish, definitions);
    if (slug && !surveys[0]) this.#refuse(slug, definitions ? "unknown" : "unreachable");
    for (const survey of surveys) {
      const request = this.#request(survey, wish, definitions);
      const reason = request.whyNot();
      if (reason) request.refuse(reason);
      else if (!(await this.#begin(request, turn))) return;
    }
  }

  /** Answers true if its definition cannot be drawn, so that the next survey may have its turn. */
  #begin(request: AskRequest, turn = this.#turn) {
    return this.#withAsking(
      (asking) => (turn === this.#turn ? asking.begin(request) : request.refuse("superseded")),
      request,
    );
  }

  #request(survey: SurveyDefinition, wish: Wish, definitions?: BootstrapReply) {
    return askRequest(this.#parts, survey, wish, definitions, (reason) =>
      this.#refuse(survey.slug, reason, survey),
    );
  }

  #refuse(slug: string, reason: NotShownReason, survey?: SurveyDefinition) {
    const { emit, options, page, useWords } = this.#parts;
    emit("notShown", { surveyId: survey?.id, slug, reason });
    if (options.debug)
      useWords((words) => words.explain(page, reason, slug, this.#identity.current(), survey));
  }
}
