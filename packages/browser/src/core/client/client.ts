import type { Traits } from "@afterword/protocol";
import type { Afterword } from "./afterword.ts";
import { createContext, type Context } from "../context/index.ts";
import { idAsText } from "../identity/index.ts";
import { type AfterwordOptions, isSecret } from "../options/index.ts";
import type { createRate } from "../rating/index.ts";
import { type Page, wipe } from "../page/index.ts";
import { type Loaders, SurveySchedule } from "./survey-schedule.ts";

/** What the page commands: who the person is, what may be kept, and what is asked. */
export class Client extends SurveySchedule implements Afterword {
  declare readonly on: Afterword["on"];
  declare readonly report: Context["report"];
  #rate?: ReturnType<typeof createRate>;
  #mayStore: boolean;
  #awaitingConsent: (() => void)[] = []; // What waits for consent.

  constructor(options: AfterwordOptions, page: Page, load: Loaders) {
    super(
      createContext(page, options, load, () => this.#mayStore),
      load,
    );
    this.#mayStore = options.consent === "granted";
    ({ on: this.on, report: this.report } = this.context);
    if (isSecret(options.key)) this.stop();
    this.#goOn();
  }

  respondent() {
    const { id, kind } = this.context.identity.current();
    return { id, kind };
  }

  identify(given: string | number | bigint, traits?: Traits) {
    const userId = idAsText(given);
    if (userId !== given || !userId)
      void this.context.withDebugFile((file) => file.reportUserId(this.context, given, !!userId));
    if (!userId) return;
    // Throws for values that are not JSON, such as cycles, before anything changes. A copy: later changes do not count.
    traits = JSON.parse(JSON.stringify(traits ?? {})) as Traits;
    const { id, kind } = this.context.identity.current();
    if (id !== userId) {
      if (kind === "identified") this.#forgetPerson();
      this.startAnew();
    }
    this.context.identity.identify(userId, traits);
    this.schedule();
  }

  async rate(...given: Parameters<Afterword["rate"]>) {
    while (given[2]?.ready && !this.mayAsk()) await new Promise<void>((go) => this.#awaitingConsent.push(go));
    const result = await this.withAsking(
      (asking, file) => {
        this.#rate ??= file!.createRate(this.context, asking, this.definitions.load);
        return this.#rate(this.mayAsk(), ...given);
      },
      async () => (this.#rate ? undefined : this.load.rating()),
    );
    return result ?? "refused";
  }

  mute(duration: string) {
    this.context.store.write("muted" + duration, "1");
    this.schedule();
  }

  consent(isGranted: boolean) {
    const before = this.respondent().id;
    this.#mayStore = isGranted;
    if (!isGranted) {
      this.leave("consent");
      wipe(this.context.store);
      wipe(this.context.drafts);
    }
    for (const resume of this.#awaitingConsent.splice(0)) resume();
    this.context.identity.consentChanged(isGranted);
    // Deleting stored data also forgets earlier answers, so ask the service again.
    if (!isGranted || this.respondent().id !== before) this.startAnew();
    this.#goOn();
  }

  reset() {
    this.#forgetPerson();
    this.context.identity.reset();
    this.startAnew();
    this.schedule();
  }

  destroy() {
    this.stop();
    this.context.stopListening();
  }

  protected mayAsk() {
    return this.#mayStore || this.context.options.consent !== "required";
  }

  #goOn() {
    if (this.#mayStore) this.drain();
    this.schedule();
  }

  #forgetPerson() {
    this.leave("identity");
    wipe(this.context.drafts);
  }
}
