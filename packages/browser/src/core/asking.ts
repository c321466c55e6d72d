import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AskingParts } from "./asking-parts.ts";
import type { NotShownReason } from "./events.ts";
import { createLastingPost } from "./lasting-post.ts";
import { openAsk, type Ask, type OpenAsk } from "./open-ask.ts";
import { Outbox } from "./outbox.ts";
import type { InstalledToken } from "./options.ts";
import { findPlace, isGone } from "./place.ts";
import type { Rate, RateArguments } from "./rate.ts";
import type { CloseReason, ShowSurvey, SurveyPlace, SurveyView, SurveyViewOptions } from "./survey-view.ts";
import { afterVisibleDelay } from "./visible-delay.ts";

/** A survey that may be shown, as far as the core knows. */
export interface AskRequest extends Ask {
  /** Absent if it asks by itself. */
  slug?: string;
  slot?: HTMLElement;
  /** The run that the page asked about. */
  run?: InstalledToken;
  isByPerson?: boolean;
  /** Set once they are loaded. */
  words?: SurveyViewOptions["words"];
  /** Whether the person asked for it and has done nothing else since. */
  mayTakeFocus(): boolean;
  /** Why it must not be shown now, after the delay. */
  whyNot(): NotShownReason | undefined;
  /** Why its targeting leaves the person out; loads what decides that if there is any. */
  checkTargeting(): Promise<NotShownReason | "" | undefined>;
  refuse(reason: NotShownReason): void;
}

/** The chunk that is loaded once a survey may be shown, or once an answer waits to be sent. */
export interface AskingModule {
  Asking: typeof Asking;
  showSurvey: ShowSurvey;
}

/** A survey that is shown, or waits for its delay. */
interface Act {
  request: AskRequest;
  place: SurveyPlace;
  /** Calls off what waits. */
  stop(): void;
  opened?: OpenAsk;
  view?: SurveyView;
}

/** Whether the page has given it an element, where it is in no other survey's way. */
const isAside = ({ place, request }: Act) => !!place.slot && !!request.slot;

/** Whether it only thanks, and makes room for the next. */
const isOver = ({ opened }: Act) => opened?.isOver();

/** One survey at a time over the page, and one in each element that is filled. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #showSurvey: ShowSurvey;
  readonly #outbox: Outbox;
  /** Kept, for importing its file again takes a while: the person may leave the page right after a vote. */
  #rate?: Rate | void;
  /** This occasion has had its survey; the next comes with `resolve`, or with the next person. */
  #isSpent = false;
  /** By the element that they fill; what is shown over the page has none. */
  readonly #acts = new Map<HTMLElement | undefined, Act>();

  constructor(lent: AskingParts, showSurvey: ShowSurvey) {
    const parts = { ...lent, post: createLastingPost(lent) };
    this.#parts = parts;
    this.#showSurvey = showSurvey;
    this.#outbox = new Outbox(parts);
    parts.page.addEventListener("pagehide", this.#leavePage);
    parts.page.addEventListener("pageshow", this.#returnToPage);
  }

  /** Whether nothing may ask by itself: this occasion has had its survey. What a page asked for in an element does not count. */
  isBusy(): boolean {
    return this.#isSpent || [...this.#acts.values()].some((act) => !isAside(act) && !isOver(act));
  }

  /** A new occasion. */
  resolve() {
    this.#isSpent = false;
  }

  /** Shows it after its delay. Answers true if its definition is not one that can be shown. */
  begin(request: AskRequest): boolean | void {
    const { survey, slug, slot, isPractice, isByPerson, whyNot, refuse } = request;
    const { page, options, load, useWords } = this.#parts;
    if (!isDrawable(survey)) {
      refuse("unsupported");
      return true;
    }
    const place = findPlace(page.document, survey, options.banner, slot, load.isHeadless);
    if (!place) return refuse("no-slot");
    const before = this.#acts.get(place.slot);
    const isOpen = before && !isOver(before);
    // Two occasions came one right after the other.
    if (!slug && isOpen && before.request.survey === survey) return;
    // What asks by itself gives way to whatever came first, what is asked for only to what is shown in its place.
    if (slug ? isOpen && before.opened : this.isBusy()) return refuse("busy");
    if (before) this.#leave(before, "host");
    const delayInMs = (!isPractice && !isByPerson && survey.delayMs) || 0;
    const { translations, followUpQuestions, suggestions } = survey;
    const words = (translations ?? followUpQuestions ?? suggestions) && useWords("wordsOfSurvey", survey);
    const stop = afterVisibleDelay(page, delayInMs, async () => {
      request.words = (await words) || undefined;
      if (!this.#isCurrent(act)) return;
      const reason = isGone(place) ? "no-slot" : whyNot();
      if (!reason) return this.#show(act);
      this.#forget(act);
      refuse(reason);
    });
    const act: Act = {
      request,
      place,
      stop: () => {
        stop();
        this.#forget(act);
        refuse("superseded");
      },
    };
    this.#acts.set(place.slot, act);
  }

  /** Takes away what is shown or about to be. */
  leave(reason: CloseReason) {
    if (reason === "identity") this.#isSpent = false;
    for (const act of this.#acts.values()) this.#leave(act, reason);
  }

  #leave(act: Act, reason: CloseReason) {
    const { opened, view, place, request } = act;
    // A new task leaves alone what the person has begun, and what stands beside the answer that it is about.
    if (reason === "task" && (opened?.hasBegun() || (place.slot && request.run))) return opened?.keepToken();
    if (!opened) return act.stop();
    if (!view) this.#forget(act);
    opened.leave(reason !== "consent" && reason !== "elsewhere");
    view?.close(reason);
  }

  #forget(act: Act) {
    if (this.#isCurrent(act)) this.#acts.delete(act.place.slot);
  }

  #isCurrent(act: Act) {
    return this.#acts.get(act.place.slot) === act;
  }

  async rate(...given: RateArguments) {
    this.#rate ??= await this.#parts.useWords("rateThrough", this.#outbox);
    return this.#rate?.(...given);
  }

  drain() {
    this.#outbox.drain();
  }

  stop() {
    const { page } = this.#parts;
    page.removeEventListener("pagehide", this.#leavePage);
    page.removeEventListener("pageshow", this.#returnToPage);
    this.#outbox.stop();
  }

  #leavePage = () => {
    // First what is newest: the browser lets only so much outlive the page.
    for (const { opened } of this.#acts.values()) opened?.leavePage();
    this.#outbox.leave();
  };

  /** A rating that was chosen when the person left is an answer now (decision O48). */
  #returnToPage = ({ persisted }: PageTransitionEvent) => {
    if (persisted) for (const { opened } of this.#acts.values()) opened?.leave(true);
  };

  #show(act: Act) {
    const { options, load, emit, report, useWords, workWith } = this.#parts;
    const { request, place } = act;
    this.#isSpent ||= !isAside(act);
    const opened = openAsk(this.#parts, this.#outbox, request, () => this.#leave(act, "elsewhere"));
    const { about } = opened;
    act.opened = opened;
    act.view = this.#showSurvey({
      ...options,
      ...opened,
      survey: request.survey,
      words: request.words,
      place,
      openedByPerson: request.mayTakeFocus(),
      workWith,
      reportError: report,
      loadWords: load.words,
      languageMissing: () => void useWords("checkLanguage"),
      closed: () => {
        opened.closed();
        this.#forget(act);
        emit("closed", about);
      },
    });
    // Before it returned, drawing may have failed, or the page may have closed it.
    if (this.#isCurrent(act)) emit("shown", about);
    else act.view.close("host");
  }
}
