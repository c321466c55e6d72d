import { ratingsOf } from "@afterword/protocol/rating-scale";
import { type Context, rememberAsked } from "../context/index.ts";
import type { AboutShown, InstalledToken } from "../public/index.ts";
import type { Settled, SubmitResult, SurveyAnswer, SurveyDraft } from "../public/index.ts";
import { type Outbox, type ShowToken, submissionOf } from "../outbox/index.ts";
import { parseJson } from "../page/index.ts";
import type { Candidate } from "./candidate.ts";

/** A survey that is shown to a person. It sends an answer or a dismissal, never both (decision D7). */
export class OpenSurvey {
  readonly #context: Context;
  readonly #outbox: Outbox;
  readonly #candidate: Candidate;
  /**
   * `open`: no rating yet. `chosen`: a rating, which can be changed, and which is held in the outbox. `over`: answered,
   * dismissed, or gone from the page; only thanks may still be shown.
   */
  #phase: "open" | "chosen" | "over" = "open";
  /** The survey as events name it. */
  readonly about: AboutShown;
  readonly ratings: readonly number[];
  /** The words from before a reload. */
  readonly draft: SurveyDraft;
  /** What the person has chosen or written and not sent. */
  #chosen: SurveyDraft;
  /** A session-bound token stays; until there is one, it may still arrive. */
  #token?: ShowToken;
  /** The name under which it is held in the outbox. */
  readonly #asked: string;
  #isTried?: boolean;
  #result = Promise.resolve<SubmitResult>("refused");
  /** The view's callback, also if the page sent the answer first. */
  #settled?: Settled;
  readonly #onEndedElsewhere: () => void;
  /** To other tabs; closed while the page is left, because it would keep it out of the back-forward cache. */
  #channel?: BroadcastChannel;
  /** What the device remembered of it when the page was left. */
  #before?: string;

  constructor(context: Context, outbox: Outbox, candidate: Candidate, onEndedElsewhere: () => void) {
    this.#context = context;
    this.#outbox = outbox;
    this.#candidate = candidate;
    this.#onEndedElsewhere = onEndedElsewhere;
    this.#token = candidate.tokenNow();
    const { survey, isPractice } = candidate;
    this.ratings = ratingsOf(survey);
    const { sessionId, observationId } = this.#token ?? {};
    this.about = { surveyId: survey.id, slug: survey.slug, sessionId, observationId };
    this.#asked = this.#namesOf(this.#token)[0]!;
    this.draft = (!isPractice && parseJson<SurveyDraft>(context.drafts.read(this.#asked))) || {};
    this.#chosen = this.draft;
    if (!isPractice) this.#openChannel();
  }

  /** At each change of the rating, the text or the box, with what would be sent now. */
  saveDraft = (draft: SurveyDraft) => {
    if (this.isOver()) return;
    this.#chosen = { ...draft, rating: draft.rating ?? this.#chosen.rating };
    if (this.#chosen.rating !== undefined) {
      this.#phase = "chosen";
      this.#hold();
    } else if (!this.#candidate.isPractice)
      this.#context.drafts.write(this.#asked, JSON.stringify(this.#chosen));
  };

  rate = (rating: number) => {
    if (this.#refuses(rating)) return;
    this.saveDraft({ ...this.#chosen, rating });
    this.#context.emit("rated", { ...this.about, rating });
  };

  submit = (answer: SurveyAnswer, settled?: Settled): Promise<SubmitResult> => {
    this.#settled ??= settled;
    if (this.#refuses(answer.rating)) return Promise.resolve("refused");
    return this.isOver() ? this.#result : (this.#result = this.#sendAnswer(answer));
  };

  dismiss = () => {
    if (this.#phase !== "open") return this.leave();
    this.#result = this.#end();
    this.#context.emit("dismissed", this.about);
  };

  /** Reports a rating that the survey does not take; a view of the page's own may offer one. */
  #refuses(rating: number): boolean {
    if (this.ratings.includes(rating)) return false;
    const { report, errorOf } = this.#context;
    report(errorOf(`survey ${this.about.surveyId} takes ${this.ratings.join(", ")}`));
    return true;
  }

  hasBegun(): boolean {
    return this.#chosen !== this.draft;
  }

  isOver(): boolean {
    return this.#phase === "over";
  }

  /** Call when a new task begins: tokens installed later are about another run, which the person has not seen yet. */
  keepToken() {
    if (!this.#candidate.isPractice) this.#token = this.#tokenNow();
  }

  /** Ends it without an act of the person; sends a chosen rating if `mayStillSend`. */
  leave = (mayStillSend = true) => {
    const isChosen = this.#phase === "chosen";
    if (!mayStillSend) {
      this.#context.drafts.forget(this.#asked);
      if (isChosen) this.#outbox.withdraw(this.#asked);
    } else if (isChosen) void this.submit({ rating: this.#chosen.rating! });
  };

  /** Keeps a chosen rating for the next page, with its text. Returns false if it would be lost with this page. */
  keepChosen(): boolean {
    // Holding it anew would replace a newer one from another tab.
    return this.#phase !== "chosen" || this.#outbox.isHeld(this.#asked) || this.#hold();
  }

  sendChosen() {
    if (this.#phase === "chosen") void this.submit(this.#chosen as SurveyAnswer);
  }

  /** Sends a rating at risk on `pagehide`. */
  leavePage() {
    if (!this.keepChosen()) {
      this.#outbox.sendLast(this.#submission(this.#chosen as SurveyAnswer));
      this.#isTried = true;
    }
    if (!this.#channel) return;
    this.#before = this.#remembered();
    this.#closeChannel();
  }

  /** Closes what was answered in another tab while this page was in the back-forward cache. */
  returnToPage() {
    if (this.isOver() || this.#before === undefined) return;
    this.#openChannel();
    if (this.#remembered() !== this.#before) this.#endElsewhere(true);
  }

  /** Call when the view is gone. Later calls by a page with its own UI have no effect. */
  closed() {
    // Never sent, so the survey may come again.
    if (this.#phase === "chosen" && this.#outbox.withdraw(this.#asked))
      this.#context.store.forget(this.#asked);
    this.#phase = "over";
    this.#closeChannel();
  }

  /** A user who has logged in since it was shown was asked too. */
  #namesOf(run?: Partial<InstalledToken>): string[] {
    const { identity, askedName } = this.#context;
    const { respondent, survey } = this.#candidate;
    return [respondent, identity.current()].map((one) => askedName(one, { ...run, surveyId: survey.id }));
  }

  /** Of the run, if any, because the next run may be asked about again. */
  #names = () => this.#namesOf(this.#tokenNow());

  #remembered = () => this.#names().map(this.#context.store.read).join();

  /** Hears that it was answered or dismissed in another tab. */
  #openChannel() {
    const { page, options } = this.#context;
    try {
      this.#channel = new page.BroadcastChannel(`afterword:${options.key}`);
      this.#channel.addEventListener("message", ({ data }: MessageEvent) => {
        // Other code of the site may use a channel of this name.
        const [asked, isAnswered] = (Array.isArray(data) ? data : []) as [string, boolean];
        if (this.#names().includes(asked)) this.#endElsewhere(isAnswered);
      });
    } catch {
      // Browsers that block storage may block it too; then tabs do not coordinate.
    }
  }

  #closeChannel() {
    this.#channel?.close();
    this.#channel = undefined;
  }

  #endElsewhere(isAnswered: boolean) {
    if (this.isOver()) return;
    // The survey was closed without an answer in the other tab only.
    if (!isAnswered) this.leave();
    this.#onEndedElsewhere();
  }

  #tokenNow(): ShowToken {
    const { survey, definitions, tokenNow } = this.#candidate;
    return this.#token ?? tokenNow() ?? { surveyId: survey.id, token: definitions!.showTokens![survey.id]! };
  }

  #submission(answer?: SurveyAnswer) {
    const isPrivate = this.#context.isPrivate();
    const submission = submissionOf(this.#candidate.respondent, this.#tokenNow(), isPrivate, answer);
    return { ...submission, isTried: this.#isTried };
  }

  /** Keeps the chosen rating for the next page. Returns whether it could. */
  #hold(): boolean {
    if (this.#candidate.isPractice) return true;
    return this.#outbox.hold(this.#submission(this.#chosen as SurveyAnswer), this.#asked);
  }

  async #sendAnswer(answer: SurveyAnswer): Promise<SubmitResult> {
    const result = await this.#end(answer);
    if (result === "stored" || result === "queued")
      this.#context.emit("submitted", { ...this.about, rating: answer.rating, result });
    return result;
  }

  /** Sends the answer or, without one, a dismissal; first remembers it here and closes the survey in other tabs. */
  #end(answer?: SurveyAnswer): Promise<SubmitResult> {
    this.#phase = "over";
    this.#context.drafts.forget(this.#asked);
    if (this.#candidate.isPractice) return Promise.resolve("stored");
    // Read before the run is remembered as asked, which would hide its token.
    const submission = this.#submission(answer);
    for (const asked of new Set([...this.#names(), ...this.#namesOf()])) {
      rememberAsked(this.#context, asked);
      this.#channel?.["postMessage"]([asked, !!answer]);
    }
    return this.#outbox.add(submission, this.#asked, { settled: (late) => this.#settled?.(late) });
  }
}
