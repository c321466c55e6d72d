import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AskingParts } from "./asking-parts.ts";
import type { NotShownReason } from "./events.ts";
import { createLastingPost } from "./lasting-post.ts";
import { openAsk, type Ask, type OpenAsk } from "./open-ask.ts";
import { Outbox } from "./outbox.ts";
import { findPlace } from "./place.ts";
import { rate, type RateArguments } from "./rate.ts";
import type { CloseReason, ShowSurvey, SurveyView } from "./survey-view.ts";
import { afterVisibleDelay } from "./visible-delay.ts";

/** A survey that may be shown, as far as the core knows. */
export interface AskRequest extends Ask {
  /** Absent if it asks by itself. */
  slug?: string;
  slot?: HTMLElement;
  isByPerson?: boolean;
  /** Whether the person asked for it and has done nothing else since. */
  mayTakeFocus(): boolean;
  /** Why it must not be shown now, after the delay. */
  whyNot(): NotShownReason | undefined;
  refuse(reason: NotShownReason): void;
}

/** The chunk that is loaded once a survey may be shown, or once an answer waits to be sent. */
export interface AskingModule {
  Asking: typeof Asking;
  showSurvey: ShowSurvey;
}

/** What is shown. */
interface Act {
  opened: OpenAsk;
  view?: SurveyView;
}

/** One survey at a time. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #showSurvey: ShowSurvey;
  readonly #outbox: Outbox;
  /** This occasion has had its survey; the next comes with `resolve`, or with the next person. */
  #isSpent = false;
  /** Calls off what waits for its delay. */
  #supersedeWaiting?: () => void;
  #act?: Act;
  /** What asks again once what is shown has gone. */
  #next?: AskRequest;

  constructor(lent: AskingParts, showSurvey: ShowSurvey) {
    const parts = { ...lent, post: createLastingPost(lent) };
    this.#parts = parts;
    this.#showSurvey = showSurvey;
    this.#outbox = new Outbox(parts);
    parts.page.addEventListener("pagehide", this.#leavePage);
    parts.page.addEventListener("pageshow", this.#returnToPage);
  }

  /** Whether something is shown or about to be, or has been on this occasion. */
  isBusy(): boolean {
    return this.#isSpent || !!(this.#act ?? this.#supersedeWaiting);
  }

  /** A new occasion. */
  resolve() {
    this.#isSpent = false;
  }

  /** Shows it after its delay. Answers true if its definition is not one that can be shown. */
  begin(request: AskRequest): boolean | void {
    const { survey, slug, isPractice, isByPerson, whyNot, refuse } = request;
    if (!isDrawable(survey)) {
      refuse("unsupported");
      return true;
    }
    // What asks by itself gives way to whatever came first, what is asked for only to what is shown.
    if (slug ? this.#act : this.isBusy()) {
      // Where it stands in the page it disturbs nothing when it comes later.
      if (request.slot) this.#next = request;
      return refuse("busy");
    }
    this.#next = undefined;
    this.#supersedeWaiting?.();
    const delayInMs = (!isPractice && !isByPerson && survey.delayMs) || 0;
    const stop = afterVisibleDelay(this.#parts.page, delayInMs, () => {
      this.#supersedeWaiting = undefined;
      const reason = whyNot();
      if (reason) refuse(reason);
      else this.#show(request);
    });
    this.#supersedeWaiting = () => {
      this.#supersedeWaiting = undefined;
      stop();
      refuse("superseded");
    };
  }

  /** Takes away what is shown or about to be. A new task leaves alone what the person has begun. */
  leave(reason: CloseReason) {
    const { opened, view } = this.#act ?? {};
    this.#supersedeWaiting?.();
    this.#next = undefined;
    if (reason === "identity") this.#isSpent = false;
    if (reason === "task" && opened?.hasBegun()) return opened.keepToken();
    if (!view) this.#act = undefined;
    opened?.leave(reason !== "consent" && reason !== "elsewhere");
    view?.close(reason);
  }

  rate(...given: RateArguments) {
    return rate(this.#parts, this.#outbox, ...given);
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
    this.#act?.opened?.leavePage();
    this.#outbox.leave();
  };

  /** A rating that was chosen when the person left is an answer now (decision O48). */
  #returnToPage = ({ persisted }: PageTransitionEvent) => {
    if (persisted) this.#act?.opened?.leave(true);
  };

  #show(request: AskRequest) {
    const { page, options, load, emit, report } = this.#parts;
    const { survey, slot, mayTakeFocus, refuse } = request;
    const place = findPlace(page.document, survey, options.banner, slot, load.isHeadless);
    if (!place) return refuse("no-slot");
    this.#isSpent = true;
    const opened = openAsk(this.#parts, this.#outbox, request, () => this.leave("elsewhere"));
    const { about } = opened;
    const act: Act = { opened };
    this.#act = act;
    act.view = this.#showSurvey({
      ...options,
      ...opened,
      survey,
      place,
      openedByPerson: mayTakeFocus(),
      reportError: report,
      loadWords: load.words,
      closed: () => {
        opened.closed();
        if (this.#act === act) this.#act = undefined;
        emit("closed", about);
        if (this.#next) this.begin(this.#next);
      },
    });
    // Before it returned, drawing may have failed, or the page may have closed it.
    if (this.#act === act) emit("shown", about);
    else act.view.close("host");
  }
}
