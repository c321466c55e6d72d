import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AskingParts } from "./asking-parts.ts";
import type { NotShownReason } from "./events.ts";
import { openAsk, type Ask, type OpenAsk } from "./open-ask.ts";
import { Outbox } from "./outbox.ts";
import type { InstalledToken } from "./options.ts";
import { findPlace, isGone } from "./place.ts";
import { type Rate, rateThrough } from "./rate.ts";
import { checkLanguage, wordsOfSurvey } from "./survey-language.ts";
import type { CloseReason, ShowSurvey, SurveyPlace, SurveyView } from "./survey-view.ts";
import { afterVisibleDelay } from "./visible-delay.ts";

/** A survey that may be shown, as far as the core knows. */
export interface AskRequest extends Ask {
  /** Undefined for a survey that asks by itself. */
  slug?: string;
  slot?: HTMLElement;
  /** The run that the page asked about. */
  run?: InstalledToken;
  isByPerson?: boolean;
  /** Whether the person opened it and has done nothing else since. */
  mayTakeFocus(): boolean;
  /** Returns why it must not be shown now, after the delay. */
  whyNot(): NotShownReason | undefined;
  /** Returns why its targeting excludes the person; loads the code for that only if there is targeting. */
  checkTargeting(): Promise<NotShownReason | "" | undefined>;
  refuse(reason: NotShownReason): void;
}

/** The chunk that loads once a survey may be shown, a rating may be given or an answer is queued. */
export interface AskingModule {
  Asking: typeof Asking;
}

/** The chunk that loads beside it once a survey may be shown. */
export interface ViewModule {
  showSurvey: ShowSurvey;
}

/** A survey that is open or waits for its delay. */
interface Act {
  request: AskRequest;
  showSurvey: ShowSurvey;
  place: SurveyPlace;
  /** Cancels the delay. */
  stop(): void;
  opened?: OpenAsk;
  view?: SurveyView;
}

/** How long a page may be hidden before a chosen rating is sent that the device does not keep (decision O48). */
const longestGlanceInMs = 10_000;

/** Whether it fills an element of the page, where it blocks no other survey. */
const isAside = ({ place, request }: Act) => !!place.slot && !!request.slot;

/** Whether it only shows thanks, so that the next survey may replace it. */
const isOver = ({ opened }: Act) => opened?.isOver();

/** Shows one overlay at a time, and one survey in each element that the page provides. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #outbox: Outbox;
  readonly rate: Rate;
  /** Whether this occasion has had its survey. `resolve` or another person starts the next one. */
  #isSpent = false;
  /** Keyed by the element that they fill; `undefined` is the overlay. */
  readonly #acts = new Map<HTMLElement | undefined, Act>();
  #timer?: number;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts);
    this.rate = rateThrough(parts, this.#outbox);
    const { page } = parts;
    page.addEventListener("pagehide", this.#leavePage);
    page.addEventListener("pageshow", this.#returnToPage);
    page.addEventListener("visibilitychange", this.#turn);
    page.document.addEventListener("freeze", this.#sendAtRisk);
  }

  /** Whether this occasion has had its survey, so that none may ask by itself. Surveys in elements do not count. */
  isBusy(): boolean {
    return this.#isSpent || [...this.#acts.values()].some((act) => !isAside(act) && !isOver(act));
  }

  /** Starts a new occasion. */
  resolve() {
    this.#isSpent = false;
  }

  /** Shows it after its delay. Returns true if its definition cannot be shown. */
  begin(request: AskRequest, showSurvey: ShowSurvey): boolean | void {
    const { survey, slug, slot, isPractice, isByPerson, whyNot, refuse } = request;
    const { page, options, load } = this.#parts;
    if (!isDrawable(survey)) {
      refuse("unsupported");
      return true;
    }
    const place = findPlace(page.document, survey, options.banner, slot, load.isHeadless);
    if (!place) return refuse("no-slot");
    const before = this.#acts.get(place.slot);
    const isOpen = before && !isOver(before);
    // Another occasion followed at once.
    if (!slug && isOpen && before.request.survey === survey) return;
    // A survey that asks by itself yields to anything earlier; a requested one only to what occupies its place.
    if (slug ? isOpen && before.opened : this.isBusy()) return refuse("busy");
    if (before) this.#leave(before, "host");
    const delayInMs = (!isPractice && !isByPerson && survey.delayMs) || 0;
    const stop = afterVisibleDelay(page, delayInMs, () => {
      const reason = isGone(place) ? "no-slot" : whyNot();
      if (!reason) return this.#show(act);
      this.#forget(act);
      refuse(reason);
    });
    const act: Act = {
      request,
      showSurvey,
      place,
      stop: () => {
        stop();
        this.#forget(act);
        refuse("superseded");
      },
    };
    this.#acts.set(place.slot, act);
  }

  /** Closes what is shown or about to be. */
  leave(reason: CloseReason) {
    if (reason === "identity") this.#isSpent = false;
    for (const act of this.#acts.values()) this.#leave(act, reason);
  }

  #leave(act: Act, reason: CloseReason) {
    const { opened, view, place, request } = act;
    // A new task keeps surveys that the person has begun and those beside the answer that they rate.
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

  drain() {
    // If the person has just consented, what they have chosen is kept from now on.
    for (const { opened } of this.#acts.values()) opened?.atRisk();
    this.#outbox.drain();
  }

  stop() {
    const { page } = this.#parts;
    page.removeEventListener("pagehide", this.#leavePage);
    page.removeEventListener("pageshow", this.#returnToPage);
    page.removeEventListener("visibilitychange", this.#turn);
    page.document.removeEventListener("freeze", this.#sendAtRisk);
    page.clearTimeout(this.#timer);
    this.#outbox.stop();
  }

  #leavePage = () => {
    // Newest first: the browser limits how much may outlive the page.
    for (const { opened } of this.#acts.values()) {
      const answer = opened?.atRisk();
      if (answer) opened!.sendLast(answer);
    }
    this.#outbox.leave();
  };

  /** After a return from the back-forward cache, a chosen rating is an answer (decision O48). */
  #returnToPage = ({ persisted }: PageTransitionEvent) => {
    if (persisted) for (const act of this.#acts.values()) this.#sendChosen(act);
  };

  /** A glance at another tab ends nothing. */
  #turn = () => {
    const { page } = this.#parts;
    page.clearTimeout(this.#timer);
    if (page.document.hidden) this.#timer = page.setTimeout(this.#sendAtRisk, longestGlanceInMs);
  };

  /** Sends what the person has chosen and the device does not keep, because a hidden page may end without an event. */
  #sendAtRisk = () => {
    for (const act of this.#acts.values()) if (act.opened?.atRisk()) this.#sendChosen(act);
  };

  /** Through the view, if it can, so that a person who returns sees the thanks. */
  #sendChosen({ view, opened }: Act) {
    view?.send?.();
    opened?.sendChosen();
  }

  #show(act: Act) {
    const { options, load, emit, report } = this.#parts;
    const { request, place } = act;
    const { translations, followUpQuestions, suggestions } = request.survey;
    const hasWords = translations ?? followUpQuestions ?? suggestions;
    this.#isSpent ||= !isAside(act);
    const opened = openAsk(this.#parts, this.#outbox, request, () => this.#leave(act, "elsewhere"));
    const { about } = opened;
    act.opened = opened;
    act.view = act.showSurvey({
      ...options,
      ...opened,
      survey: request.survey,
      words: hasWords && wordsOfSurvey(this.#parts, request.survey),
      place,
      openedByPerson: request.mayTakeFocus(),
      reportError: report,
      loadWords: load.words,
      languageMissing: () => checkLanguage(this.#parts),
      shown: () => {
        // The page may have closed it as it appeared.
        if (this.#isCurrent(act)) emit("shown", about);
      },
      closed: () => {
        opened.closed();
        this.#forget(act);
        emit("closed", about);
      },
    });
    // Drawing may have failed before it returned, or the page may have closed it.
    if (!this.#isCurrent(act)) act.view.close("host");
  }
}
