import type { SurveyDefinition } from "@afterword/protocol";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import type { AfterwordError } from "./afterword-error.ts";
import type { Emitter, NotShownReason } from "./events.ts";
import type { ExplainModule } from "./explain.ts";
import type { Identity, newId, Respondent } from "./identity.ts";
import type { Loaders } from "./loaders.ts";
import { openAsk, type Ask, type OpenAsk } from "./open-ask.ts";
import type { AfterwordOptions, InstalledToken } from "./options.ts";
import { Outbox } from "./outbox.ts";
import type { Page } from "./page.ts";
import { findPlace, isGone } from "./place.ts";
import type { Post } from "./request.ts";
import type { Store } from "./store.ts";
import type { CloseReason, ShowSurvey, SurveyPlace, SurveyView } from "./survey-view.ts";
import { afterVisibleDelay } from "./visible-delay.ts";

/** What the core lends to this chunk. */
export interface AskingParts extends Emitter {
  page: Page;
  options: AfterwordOptions;
  load: Loaders;
  post: Post;
  store: Store;
  /** Unfinished answers: they outlive a reload where the person has consented. */
  drafts: Store;
  /** Whether the person's browser sends Global Privacy Control. */
  isPrivate(): boolean;
  /** Lent, so that pages load the code of errors and ids once. */
  AfterwordError: typeof AfterwordError;
  newId: typeof newId;
  /** Lets the file that words what went wrong do something; pages where all goes well never load it. */
  useWords(work: (words: ExplainModule) => void): void;
  askedName(respondent: Respondent, survey: SurveyDefinition): string;
  /** Session-bound tokens by survey id. */
  installed: ReadonlyMap<string, InstalledToken>;
  /** Who is in front of the page. */
  identity: Identity;
}

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

/** The chunk that is loaded once somebody is asked, or once something waits to be sent. */
export interface AskingModule {
  Asking: new (parts: AskingParts) => Asking;
}

const longestWaitInMs = 15_000;

/** What is shown or on its way. */
interface Act {
  opened?: OpenAsk;
  view?: SurveyView;
}

/** One survey at a time. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #outbox: Outbox;
  /** This occasion has had its survey; the next comes with `resolve`, or with the next person. */
  #isSpent = false;
  /** Calls off what waits for its delay. */
  #supersedeWaiting?: () => void;
  #act?: Act;
  /** What asks again once what is shown has gone. */
  #next?: AskRequest;

  constructor(parts: AskingParts) {
    this.#parts = parts;
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
      else void this.#show(request);
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

  async #show(request: AskRequest) {
    const { page, options, report, load, AfterwordError } = this.#parts;
    const { survey, refuse } = request;
    const act: Act = {};
    try {
      const place = findPlace(page.document, survey, options.banner, request.slot, load.isHeadless);
      if (!place) return refuse("no-slot");
      this.#act = act;
      // What is asked for later would else wait for a file that never comes.
      const giveUp = new Promise<never>((_, reject) => {
        page.setTimeout(reject, longestWaitInMs, "no answer");
      });
      const { showSurvey } = await Promise.race([load.view(), giveUp]);
      if (this.#act !== act) refuse("superseded");
      else if (isGone(place)) {
        this.#act = undefined;
        refuse("no-slot");
      } else this.#draw(act, request, place, showSurvey);
    } catch (error) {
      // Another one may have taken its place while the file did not arrive.
      if (this.#act === act) this.#act = undefined;
      report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
      refuse("load-failed");
    }
  }

  #draw(act: Act, request: AskRequest, place: SurveyPlace, showSurvey: ShowSurvey) {
    const { options, emit, report } = this.#parts;
    const { survey, mayTakeFocus } = request;
    this.#isSpent = true;
    const opened = openAsk(this.#parts, this.#outbox, request, () => this.leave("elsewhere"));
    const { about } = opened;
    act.opened = opened;
    act.view = showSurvey({
      ...options,
      ...opened,
      survey,
      place,
      openedByPerson: mayTakeFocus(),
      reportError: report,
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
