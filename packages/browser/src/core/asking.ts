import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AskingParts } from "./asking-parts.ts";
import type { NotShownReason } from "./events.ts";
import { createLastingPost } from "./lasting-post.ts";
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

  constructor(lent: AskingParts) {
    const parts = { ...lent, post: createLastingPost(lent) };
    this.#parts = parts;
    this.#outbox = new Outbox(parts);
    this.rate = rateThrough(parts, this.#outbox);
    parts.page.addEventListener("pagehide", this.#leavePage);
    parts.page.addEventListener("pageshow", this.#returnToPage);
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
    this.#outbox.drain();
  }

  stop() {
    const { page } = this.#parts;
    page.removeEventListener("pagehide", this.#leavePage);
    page.removeEventListener("pageshow", this.#returnToPage);
    this.#outbox.stop();
  }

  #leavePage = () => {
    // Newest first: the browser limits how much may outlive the page.
    for (const { opened } of this.#acts.values()) opened?.leavePage();
    this.#outbox.leave();
  };

  /** After a return from the back-forward cache, a chosen rating is an answer (decision O48). */
  #returnToPage = ({ persisted }: PageTransitionEvent) => {
    if (persisted) for (const { opened } of this.#acts.values()) opened?.leave(true);
  };

  #show(act: Act) {
    const { options, load, emit, report, workWith } = this.#parts;
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
      workWith,
      reportError: report,
      loadWords: load.words,
      languageMissing: () => checkLanguage(this.#parts),
      closed: () => {
        opened.closed();
        this.#forget(act);
        emit("closed", about);
      },
    });
    // Drawing may have failed before it returned, or the page may have closed it.
    if (this.#isCurrent(act)) emit("shown", about);
    else act.view.close("host");
  }
}
