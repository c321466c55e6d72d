import type { BootstrapReply, SurveyDefinition, Traits } from "@afterword/protocol";
import type { Afterword } from "./afterword.ts";
import { askRequest } from "./ask-request.ts";
import { createParts } from "./create-parts.ts";
import type { AskingParts } from "./asking-parts.ts";
import type { Asking, AskRequest, ViewModule } from "./asking.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import type { Inline } from "./inline.ts";
import type { Loaders } from "./loaders.ts";
import type { AfterwordOptions, AskOptions, InstalledToken } from "./options.ts";
import type { Page } from "./page.ts";
import { requireText } from "./require-text.ts";
import { wipe } from "./store.ts";
import { wanted, wishOf, type Refuse, type Wish } from "./wish.ts";

/** Decides whether and when to ask. Code that only an open survey needs is loaded on demand. */
export class Client implements Afterword {
  declare readonly on: Afterword["on"];
  declare readonly report: AskingParts["report"];
  readonly #parts: ReturnType<typeof createParts>;
  readonly #definitions: Definitions;
  #installed: InstalledToken[] = []; // Newest first.
  #asking?: Asking;
  #loading?: ReturnType<Loaders["asking"]>;
  #inline?: Inline;
  #mayStore: boolean;
  #isTaskRunning?: boolean;
  #isOver?: boolean;
  /** Incremented by whatever makes a pending reply useless: another person, withdrawn consent, a new task. */
  #turn = 0;
  #timer?: number;
  #untilAllowed: (() => void)[] = []; // What waits for consent.
  #wish?: Wish;

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    this.#mayStore = options.consent === "granted";
    this.#parts = createParts(page, options, load, () => this.#mayStore);
    ({ on: this.on, report: this.report } = this.#parts);
    this.#definitions = createDefinitions(this.#parts);
    // Not even sent to be refused, because logs and proxies would see it.
    if (/^(\w+_)?sk_/.test(options.key)) {
      this.#isOver = true;
      void this.#parts.withDebugFile(({ tellSecretKey }) => tellSecretKey(this.#parts));
    }
    page.addEventListener("online", this.soon);
    this.#sendWhatWaits();
    this.soon();
  }

  respondent() {
    const { id, kind } = this.#parts.identity.current();
    return { id, kind };
  }

  identify(userId: string, traits?: Traits) {
    requireText("userId", userId);
    // Throws for values that are not JSON, such as cycles, before anything changes. A copy: later changes do not count.
    traits = JSON.parse(JSON.stringify(traits ?? {})) as Traits;
    const { id, kind } = this.#parts.identity.current();
    if (id !== userId) {
      if (kind === "identified") this.#forgetPerson();
      this.#startAnew();
    }
    this.#parts.identity.identify(userId, traits);
    this.soon();
  }

  install(token: InstalledToken) {
    requireText("surveyId, token and sessionId", token?.surveyId, token?.token, token?.sessionId);
    this.#installed.unshift(token);
    this.soon();
  }

  task() {
    this.#isTaskRunning = true;
    this.#turn++;
    // A survey that the person has begun keeps its token.
    this.#asking?.leave("task");
    this.#installed = [];
  }

  resolve() {
    this.#isTaskRunning = false;
    this.#asking?.resolve();
    this.soon();
  }

  ask(slug: string, options?: AskOptions) {
    requireText("slug", slug);
    const wish = wishOf(this.#parts.page, options, slug);
    if (options?.slot ?? options?.token)
      void this.#parts.workWith(
        this.#parts.load.inline(),
        ({ Inline }) => (this.#inline ??= new Inline(this, this.#parts)).add(wish, options),
        () => this.refuse("load-failed", wish),
      );
    else {
      this.#supersede(slug);
      this.#wish = wish;
    }
    if (!this.#mayAsk()) this.refuse("consent", wish);
    else if (this.#isTaskRunning) this.refuse("task", wish);
    this.soon();
  }

  preview(definition: SurveyDefinition, options?: AskOptions) {
    requireText("slug", definition?.slug);
    this.close();
    const wish = wishOf(this.#parts.page, options, definition.slug);
    void this.#begin(askRequest(this.#parts, this.#installed, definition, wish, undefined, this.refuse));
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    while (given[2]?.ready && !this.#mayAsk()) await new Promise<void>((go) => this.#untilAllowed.push(go));
    const rate = (asking: Asking) => asking.rate(this.#mayAsk(), this.#definitions, ...given);
    return (await this.#withAsking(rate)) ?? "refused";
  }

  mute(duration: string) {
    this.#parts.store.write("muted" + duration, "1");
    this.soon();
  }

  close() {
    this.#supersede();
    this.#inline?.drop();
    this.#turn++;
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
    for (const goOn of this.#untilAllowed.splice(0)) goOn();
    this.#parts.identity.consentChanged(isGranted);
    // Deleting stored data also forgets earlier answers, so ask the service again.
    if (!isGranted || this.#parts.identity.current().id !== before) this.#startAnew();
    this.#sendWhatWaits();
    this.soon();
  }

  reset() {
    this.#forgetPerson();
    this.#parts.identity.reset();
    this.#startAnew();
    this.soon();
  }

  destroy() {
    this.#isOver = true;
    this.close();
    this.#asking?.stop();
    this.#parts.page.removeEventListener("online", this.soon);
    this.#parts.stopListening();
  }

  #forgetPerson() {
    this.#asking?.leave("identity");
    this.#installed = [];
    wipe(this.#parts.drafts);
  }

  /** Drops the earlier request, unless the same survey is requested again. */
  #supersede(next?: string) {
    const wish = this.#wish;
    this.#wish = undefined;
    if (wish && wish.slug !== next) this.refuse("superseded", wish);
  }

  #startAnew() {
    this.#turn++;
    this.#definitions.drop();
  }

  /** Combines calls made in a row: one request to the service, for the person of the last call. */
  soon = () => {
    const { page, report } = this.#parts;
    page.clearTimeout(this.#timer);
    this.#timer = page.setTimeout(() => this.#proceed().catch(report));
  };

  #mayAsk = () => this.#mayStore || this.#parts.options.consent !== "required";

  #withAsking<Result>(work: (asking: Asking, view?: ViewModule) => Result, refuse?: AskRequest["refuse"]) {
    return this.#parts.workWith(
      // Kept because importing a module again takes time, and the person may leave the page right after answering.
      Promise.all([(this.#loading ??= this.#parts.load.asking()), refuse && this.#parts.load.view()]),
      ([{ Asking }, view]) =>
        this.#isOver ? undefined : work((this.#asking ??= new Asking(this.#parts)), view),
      () => {
        this.#loading = undefined;
        refuse?.("load-failed");
      },
    );
  }

  #sendWhatWaits() {
    if (this.#mayStore && (this.#asking ?? this.#parts.store.names("outbox:")[0]))
      void this.#withAsking((asking) => asking.drain());
  }

  async #proceed() {
    // Without a mute, the page loads nothing for it.
    if ((this.#parts.muted ||= this.#parts.store.names("muted")[0]))
      await this.#parts.withDebugFile(({ mute }) => mute(this.#parts));
    if (this.#isOver || !this.#mayAsk() || this.#isTaskRunning) return;
    requireText("key and baseUrl", this.#parts.options.key, this.#parts.options.baseUrl);
    const turn = this.#turn;
    const definitions = await this.#definitions.load();
    if (turn !== this.#turn) return;
    this.#inline?.proceed(definitions);
    const wish = this.#wish ?? wishOf(this.#parts.page);
    this.#wish = undefined;
    if (wish.slug || !this.#asking?.isBusy()) await this.grant(wish, definitions);
  }

  async grant(wish: Wish, definitions?: BootstrapReply) {
    const turn = this.#turn;
    const surveys = wanted(wish, definitions);
    if (wish.slug && !surveys[0]) this.refuse(definitions ? "unknown" : "unreachable", wish);
    for (const survey of surveys) {
      const request = askRequest(this.#parts, this.#installed, survey, wish, definitions, this.refuse);
      const reason = request.whyNot() ?? (await request.checkTargeting());
      if (reason) request.refuse(reason);
      else if (!(await this.#begin(request, turn))) return;
    }
  }

  /** Returns true if its definition cannot be drawn, so that the next survey gets its turn. */
  #begin(request: AskRequest, turn = this.#turn) {
    return this.#withAsking(
      (asking, view) =>
        turn === this.#turn ? asking.begin(request, view!.showSurvey) : request.refuse("superseded"),
      request.refuse,
    );
  }

  refuse: Refuse = (reason, wish, survey) => {
    const slug = survey?.slug ?? wish.slug!;
    const { emit, options, withDebugFile, identity } = this.#parts;
    emit("notShown", { surveyId: survey?.id, slug, slot: wish.slot, reason });
    if (options.debug)
      void withDebugFile(({ explain }) => explain(this.#parts, reason, slug, identity.current(), survey));
  };
}
