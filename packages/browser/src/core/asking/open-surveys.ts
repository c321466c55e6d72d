import type { SurveyDefinition } from "@afterword/protocol";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { Context } from "../context/index.ts";
import { OpenSurvey } from "./open-survey.ts";
import { Outbox, submissionOf } from "../outbox/index.ts";
import { findPlace, isRemoved } from "./find-place.ts";
import type { Candidate } from "./candidate.ts";
import type { ShowSurvey, SurveyView } from "../public/index.ts";
import { afterVisibleDelay } from "../page/index.ts";
import { wordsOfSurvey } from "./words-of-survey.ts";

/** A survey that is open or waits for its delay. */
interface ActiveSurvey {
  candidate: Candidate;
  showSurvey: ShowSurvey;
  /** The element that it fills. */
  place?: HTMLElement;
  stop(): void;
  opened?: OpenSurvey;
  view?: SurveyView;
}

/**
 * Why the page or its state ends what is shown: `host` (it called `close`), `identity` (another account), `task` (a new
 * task began), `elsewhere` (answered in another tab), `consent` (withdrawn).
 */
export type CloseReason = "host" | "identity" | "task" | "elsewhere" | "consent";

/** How long a page may be hidden before a chosen rating is sent that the device does not keep. */
const longestGlanceInMs = 10_000;

/** Whether it fills an element of the page, where it blocks no other survey. */
const fillsElement = ({ place, candidate }: ActiveSurvey) => !!place && !!candidate.slot;

/** Whether it only shows thanks, so that the next survey may replace it. */
const isAnswered = ({ opened }: ActiveSurvey) => opened?.isOver();

/** Shows one overlay at a time, and one survey in each element that the page provides. */
export class OpenSurveys {
  readonly #context: Context;
  /** What ratings outside a survey use, too, from a file of their own. */
  readonly outbox: Outbox;
  readonly submissionOf = submissionOf;
  /** Whether this occasion has had its survey. `resolve` or another person starts the next one. */
  #isSpent = false;
  /** Keyed by the element that they fill; `undefined` is the overlay. */
  readonly #active = new Map<HTMLElement | undefined, ActiveSurvey>();
  #timer?: number;

  constructor(context: Context) {
    this.#context = context;
    this.outbox = new Outbox(context);
    const { page, over } = context;
    page.addEventListener("pagehide", this.#leavePage, over);
    page.addEventListener("pageshow", this.#returnToPage, over);
    page.addEventListener("visibilitychange", this.#onVisibilityChange, over);
    page.document.addEventListener("freeze", this.#sendAtRisk, over);
  }

  wordsOf = (survey: SurveyDefinition, language?: string) => wordsOfSurvey(this.#context, survey, language);

  /** Whether this occasion has had its survey, so that none may ask by itself. Surveys in elements do not count. */
  isBusy(): boolean {
    return this.#isSpent || [...this.#active.values()].some((one) => !fillsElement(one) && !isAnswered(one));
  }

  resolve() {
    this.#isSpent = false;
  }

  /** Shows it after its delay. Returns true if its definition cannot be shown. */
  begin(candidate: Candidate, showSurvey: ShowSurvey): boolean | void {
    const { survey, slug, slot, run, tokens, isPractice, openedByPerson, whyNot, refuse } = candidate;
    const { page, report, errorOf } = this.#context;
    if (run && run.surveyId !== survey.id) {
      const given = tokens ? Object.keys(tokens).join('", "') : run.surveyId;
      report(errorOf(`the token is for survey "${given}" and not "${survey.id}"`));
      return refuse("unlinked");
    }
    if (!isDrawable(survey)) {
      refuse("unsupported");
      return true;
    }
    const place = findPlace(this.#context, survey, slot);
    if (place === null) return refuse("no-slot");
    const before = this.#active.get(place);
    const isOpen = before && !isAnswered(before);
    // Another occasion followed at once.
    if (!slug && isOpen && before.candidate.survey === survey) return;
    // A survey that asks by itself yields to anything earlier; a requested one only to what occupies its place.
    if (slug ? isOpen && before.opened : this.isBusy()) return refuse("busy");
    if (before) this.#leave(before, "host");
    const delayInMs = (!isPractice && !openedByPerson && survey.delayMs) || 0;
    const stop = afterVisibleDelay(page, delayInMs, () => {
      const reason = isRemoved({ slot: place }) ? "no-slot" : whyNot();
      if (!reason) return this.#show(active);
      this.#forget(active);
      refuse(reason);
    });
    const active: ActiveSurvey = {
      candidate,
      showSurvey,
      place,
      stop: () => {
        stop();
        this.#forget(active);
        refuse("superseded");
      },
    };
    this.#active.set(place, active);
  }

  leave(reason: CloseReason) {
    if (reason === "identity") this.#isSpent = false;
    for (const active of this.#active.values()) this.#leave(active, reason);
  }

  #leave(active: ActiveSurvey, reason: CloseReason) {
    const { opened, view, place, candidate } = active;
    // A new task keeps surveys that the person has begun and those beside the answer that they rate.
    if (reason === "task" && (opened?.hasBegun() || (place && candidate.run))) return opened?.keepToken();
    if (!opened) return active.stop();
    if (!view) this.#forget(active);
    opened.leave(reason !== "consent" && reason !== "elsewhere");
    view?.close();
  }

  #forget(active: ActiveSurvey) {
    if (this.#isCurrent(active)) this.#active.delete(active.place);
  }

  #isCurrent(active: ActiveSurvey) {
    return this.#active.get(active.place) === active;
  }

  drain() {
    // If the person has just consented, what they have chosen is kept from now on.
    for (const { opened } of this.#active.values()) opened?.keepChosen();
    this.outbox.drain();
  }

  stop() {
    this.#context.page.clearTimeout(this.#timer);
    this.outbox.stop();
  }

  #leavePage = () => {
    // Open surveys before the queue: the browser limits how much may outlive the page.
    for (const { opened } of this.#active.values()) opened?.leavePage();
    this.outbox.leave();
  };

  /** After a return from the back-forward cache, a chosen rating is an answer. */
  #returnToPage = ({ persisted }: PageTransitionEvent) => {
    for (const active of persisted ? this.#active.values() : []) {
      this.#sendChosen(active);
      active.opened?.returnToPage();
    }
  };

  /** A glance at another tab ends nothing. */
  #onVisibilityChange = () => {
    const { page } = this.#context;
    page.clearTimeout(this.#timer);
    if (page.document.hidden) this.#timer = page.setTimeout(this.#sendAtRisk, longestGlanceInMs);
  };

  /** Sends what the person has chosen and the device does not keep, because a hidden page may end without an event. */
  #sendAtRisk = () => {
    for (const active of this.#active.values())
      if (active.opened && !active.opened.keepChosen()) this.#sendChosen(active);
  };

  /** Through the view, if it can, so that a person who returns sees the thanks. */
  #sendChosen({ view, opened }: ActiveSurvey) {
    view?.send?.();
    opened?.sendChosen();
  }

  #show(active: ActiveSurvey) {
    const { options, entryPoint, emit, report, post } = this.#context;
    const { candidate, place } = active;
    this.#isSpent ||= !fillsElement(active);
    const endedElsewhere = () => this.#leave(active, "elsewhere");
    const opened = new OpenSurvey(this.#context, this.outbox, candidate, endedElsewhere);
    const { about } = opened;
    active.opened = opened;
    active.view = active.showSurvey({
      ...options,
      ...opened,
      survey: candidate.survey,
      words: this.wordsOf(candidate.survey),
      slot: place,
      openedByPerson: candidate.mayTakeFocus(),
      reportError: report,
      loadWords: entryPoint.words,
      shown: () => {
        // The page may have closed it as it appeared.
        if (this.#isCurrent(active)) emit("shown", about);
      },
      service: candidate.isPractice ? undefined : { ...candidate, post },
      closed: () => {
        opened.closed();
        this.#forget(active);
        emit("closed", about);
      },
    });
    // Drawing may have failed before it returned, or the page may have closed it.
    if (!this.#isCurrent(active)) active.view.close();
  }
}
