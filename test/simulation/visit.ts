import * as asking from "../../packages/browser/src/core/asking/open-surveys.ts";
import * as debug from "../../packages/browser/src/core/explain/index.ts";
import * as rating from "../../packages/browser/src/core/rating/rate.ts";
import { openHeadless, type HeadlessAfterword } from "../../packages/browser/src/headless/open-headless.ts";
import type { Network } from "./network.ts";
import { SimulatedProcess, inProcess, type Scheduler } from "./scheduler.ts";
import { serviceHost } from "./service.ts";
import { publishableKey, type SurveyId } from "./surveys.ts";
import { type Device, VirtualPage } from "./virtual-page.ts";

/** A person with one browser. */
export interface Person {
  id: string;
  device: Device;
  hasConsented: boolean;
  /** What they have answered, by what they were asked about; for the rule that one browser asks once. */
  asked: Set<string>;
}

/** Words that a person has written, and what their page has promised about them. */
export interface Written {
  words: string;
  person: Person;
  /** Survey and run. */
  about: string;
  rating: number;
  at: number;
  /** Whether it waits to be sent; then a newer one about the same takes its place, also in another tab. */
  isHeld?: boolean;
  /** `stored` is the service's word, `kept` the device's. */
  promise?: "stored" | "kept";
}

export interface VisitParts {
  scheduler: Scheduler;
  network: Network;
  newWords: () => string;
  note: (line: string) => void;
  written: Written[];
  /** Called with what a page reports. */
  onPageEvent: (person: Person, name: string, detail: Record<string, unknown>) => void;
}

const loaders = {
  asking: async () => asking,
  rating: async () => rating,
  debug: async () => debug,
};

const reported = ["shown", "submitted", "dismissed", "delivered", "notShown", "error"] as const;

/** A page that a person has open. */
export class Visit {
  readonly person: Person;
  readonly page: VirtualPage;
  readonly afterword: HeadlessAfterword;
  readonly #parts: VisitParts;
  readonly #random: () => number;
  /** Surveys on which the person acts already: a page that asks again may still show the same one. */
  readonly #seen = new WeakSet<object>();

  constructor(parts: VisitParts, person: Person, name: string, random: () => number) {
    this.#parts = parts;
    this.#random = random;
    this.person = person;
    const process = new SimulatedProcess(name, random);
    this.page = new VirtualPage(process, person.device, parts.network, parts.scheduler);
    const consent = person.hasConsented ? "granted" : "not-asked";
    const options = { key: publishableKey, baseUrl: `http://${serviceHost}`, consent } as const;
    this.afterword = this.#do(() => openHeadless(options, this.page.page, { ...loaders }));
    for (const one of reported)
      this.afterword.on(one, (detail) => parts.onPageEvent(person, one, detail as never));
    this.#do(() => this.afterword.identify(person.id));
  }

  get isOver(): boolean {
    return this.page.process.isDead;
  }

  #do<T>(work: () => T): T {
    return inProcess.run(this.page.process, work);
  }

  #later(delayInMs: number, work: () => void): void {
    this.#parts.scheduler.later(delayInMs, work, this.page.process);
  }

  /** The person is asked, with the token of a run if there is one, and acts on what they see. */
  ask(surveyId: SurveyId, run?: { token: string; sessionId: string }): void {
    if (this.isOver) return;
    this.#do(() => {
      let hasActed = false;
      this.afterword.subscribe(() => {
        const survey = this.afterword.getSurvey(surveyId);
        if (hasActed || !survey || this.#seen.has(survey)) return;
        hasActed = true;
        this.#seen.add(survey);
        this.#later(500 + this.#random() * 8000, () => this.#act(surveyId, run?.sessionId));
      });
      if (run) this.afterword.install({ surveyId, ...run });
      this.afterword.resolve();
      this.afterword.ask(surveyId);
    });
  }

  #act(surveyId: SurveyId, sessionId = ""): void {
    const survey = this.afterword.getSurvey(surveyId);
    if (!survey) return;
    const choice = this.#random();
    if (choice < 0.15) return survey.dismiss();
    if (choice < 0.2) return survey.leave();
    const written = this.#write(`${surveyId} ${sessionId}`);
    const { rating, words: text } = written;
    let isSent = false;
    // Closed by an answer or a dismissal in another tab: a chosen rating is then sent without its words.
    this.afterword.subscribe(() => {
      if (!isSent && this.afterword.getSurvey(surveyId) !== survey) delete written.promise;
    });
    if (choice < 0.5) {
      survey.rate(rating);
      survey.saveDraft({ rating, text });
      written.isHeld = this.person.hasConsented;
      if (written.isHeld) written.promise = "kept";
      if (choice < 0.4) return;
    }
    this.#later(choice < 0.5 ? 4000 : 0, () => {
      if (this.afterword.getSurvey(surveyId) !== survey) return;
      isSent = true;
      this.#replaceHeld(written);
      if (this.person.hasConsented) written.promise = "kept";
      const settled = (result: string) => this.#settle(written, result);
      void survey.submit({ rating, text }, settled).then(settled);
      this.#later(3000, () => survey.done());
    });
  }

  /** Thumbs under an answer: a rating that can be taken back for a while. */
  rate(surveyId: SurveyId, run: { token: string; sessionId: string }): void {
    if (this.isOver) return;
    const written = this.#write(`${surveyId} ${run.sessionId}`);
    const delayInMs = this.#random() < 0.5 ? 0 : 5000;
    this.#do(() => {
      const settled = (result: string) => this.#settle(written, result);
      const answer = { rating: written.rating, text: written.words };
      void this.afterword.rate({ surveyId, ...run }, answer, { delayInMs, settled })?.then(settled);
    });
  }

  #write(about: string): Written {
    const rating = 1 + Math.floor(this.#random() * 5);
    const { newWords, scheduler } = this.#parts;
    const written: Written = { words: newWords(), person: this.person, about, rating, at: scheduler.now };
    this.#replaceHeld(written);
    this.#parts.written.push(written);
    this.#parts.note(
      `${this.page.process.name} of ${this.person.id}: ${rating} for ${about}, ${written.words}`,
    );
    return written;
  }

  #replaceHeld({ about }: Written): void {
    for (const other of this.#parts.written) {
      if (!other.isHeld || other.person !== this.person || other.about !== about) continue;
      other.isHeld = false;
      delete other.promise;
    }
  }

  #settle(written: Written, result: string): void {
    if (result === "stored") written.promise = "stored";
    else if (result === "queued" && this.person.hasConsented) written.promise ??= "kept";
  }

  /** The person looks elsewhere and comes back, leaves, or the page is killed. */
  end(how: "hide" | "leave" | "kill"): void {
    if (this.isOver) return;
    this.#parts.note(`${this.page.process.name}: ${how}`);
    if (how === "leave") this.page.leave();
    else if (how === "kill") this.page.process.kill();
    else {
      this.page.turn("hidden");
      this.#later(15_000, () => this.page.turn("visible"));
    }
  }
}
