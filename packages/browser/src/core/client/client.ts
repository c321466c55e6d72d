import type { Traits } from "@afterword/protocol";
import type { Afterword } from "./afterword.ts";
import { createContext, type Context } from "../context/index.ts";
import { idAsText } from "../identity/index.ts";
import { type AfterwordOptions, isSecret } from "../options/index.ts";
import { type Page, wipe } from "../page/index.ts";
import { type Loaders, SurveySchedule } from "./survey-schedule.ts";

/** What the page commands: who the person is, what may be kept, and what is asked. */
export class Client implements Afterword {
  declare readonly on: Afterword["on"];
  declare readonly report: Context["report"];
  declare readonly install: Afterword["install"];
  declare readonly task: Afterword["task"];
  declare readonly resolve: Afterword["resolve"];
  declare readonly ask: Afterword["ask"];
  declare readonly preview: Afterword["preview"];
  declare readonly close: Afterword["close"];
  readonly #load: Loaders;
  readonly #context: Context;
  readonly #schedule: SurveySchedule;
  #loadingRating?: ReturnType<Loaders["rating"]>;
  #mayStore: boolean;
  #awaitingConsent: (() => void)[] = []; // What waits for consent.

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    this.#mayStore = options.consent === "granted";
    this.#load = load;
    this.#context = createContext(page, options, load, () => this.#mayStore);
    ({ on: this.on, report: this.report } = this.#context);
    this.#schedule = new SurveySchedule(this.#context, load, this.#mayAsk);
    const { install, task, resolve, ask, preview, close } = this.#schedule;
    Object.assign(this, { install, task, resolve, ask, preview, close });
    if (isSecret(options.key)) this.#schedule.stop();
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
      this.#schedule.startAnew();
    }
    this.#context.identity.identify(userId, traits);
    this.#schedule.schedule();
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    while (given[2]?.ready && !this.#mayAsk())
      await new Promise<void>((go) => this.#awaitingConsent.push(go));
    const result = await this.#schedule.withAsking(
      (asking, { createRate }) =>
        createRate(this.#context, asking)(this.#mayAsk(), this.#schedule.definitions.load, ...given),
      () => (this.#loadingRating ??= this.#load.rating()),
      () => (this.#loadingRating = undefined),
    );
    return result ?? "refused";
  }

  mute(duration: string) {
    this.#context.store.write("muted" + duration, "1");
    this.#schedule.schedule();
  }

  consent(isGranted: boolean) {
    const before = this.respondent().id;
    this.#mayStore = isGranted;
    if (!isGranted) {
      this.#schedule.leave("consent");
      wipe(this.#context.store);
      wipe(this.#context.drafts);
    }
    for (const resume of this.#awaitingConsent.splice(0)) resume();
    this.#context.identity.consentChanged(isGranted);
    // Deleting stored data also forgets earlier answers, so ask the service again.
    if (!isGranted || this.respondent().id !== before) this.#schedule.startAnew();
    this.#goOn();
  }

  reset() {
    this.#forgetPerson();
    this.#context.identity.reset();
    this.#schedule.startAnew();
    this.#schedule.schedule();
  }

  destroy() {
    this.#schedule.stop();
    this.#context.stopListening();
  }

  #mayAsk = () => this.#mayStore || this.#context.options.consent !== "required";

  #goOn() {
    if (this.#mayStore) this.#schedule.drain();
    this.#schedule.schedule();
  }

  #forgetPerson() {
    this.#schedule.leave("identity");
    wipe(this.#context.drafts);
  }
}
