import type { SurveyDefinition, SurveyWords } from "@afterword/protocol";
import { ratingsOf } from "@afterword/protocol/rating-scale";
import {
  clientOfPage,
  commandsOf,
  type Afterword,
  type Loaders,
  type PageClient,
} from "../core/client/index.ts";
import type { AfterwordOptions } from "../core/options/index.ts";
import type { Page } from "../core/page/index.ts";
import type {
  ShowSurvey,
  SubmitResult,
  SurveyAnswer,
  SurveyDraft,
  SurveyViewOptions,
} from "../core/survey/index.ts";

/** An open survey that the page renders: its state and the person's actions. */
export interface HeadlessSurvey {
  survey: SurveyDefinition;
  /**
   * The texts to show, in the language of the option or of the page: question, follow-up question and suggestions for a
   * rating, and the end labels.
   */
  words(rating?: number): SurveyWords;
  /** The ratings to offer, ascending; 1 and 5, down and up, of a survey of thumbs. */
  ratings: readonly number[];
  /** The words from before a reload, if no rating was chosen. */
  draft: SurveyDraft;
  /** Whether the person opened it, so that focus may move into it. */
  openedByPerson: boolean;
  /** Call it at each choice of a rating; sends nothing yet. */
  rate(rating: number): void;
  /** Saves the unfinished answer; call it at each change of the text. The next page sends it, if it has a rating. */
  saveDraft(draft: SurveyDraft): void;
  /**
   * Sends the answer, once. `stored`: say thanks. `queued`: not sent yet, will be retried; `settled` gets the outcome.
   * `already`: an earlier answer stands. `refused`: it cannot be stored.
   */
  submit(answer: SurveyAnswer, settled?: (result: SubmitResult) => void): Promise<SubmitResult>;
  /** Closes the survey: sends a chosen rating, otherwise the dismissal. */
  dismiss(): void;
  /** Call it when the page removes the survey: sends a chosen rating; otherwise the survey may come again. */
  leave(): void;
  /** Call when the survey has left the page, after the thanks; then the next may open. */
  done(): void;
}

/** The commands, and the open survey for a page that draws it. */
export interface HeadlessAfterword extends Afterword {
  /** The survey for the page to draw now, if any; with a slug, only that one. The same object until it changes. */
  getSurvey(slug?: string): HeadlessSurvey | undefined;
  /** Calls back at each change; returns a function that unsubscribes. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /**
   * Lets the page draw this survey, or without a slug every survey, in place of the widget. Returns a function that
   * ends the claim and closes an open survey: a chosen rating is sent, otherwise the survey may come again.
   */
  claim(slug?: string): () => void;
}

/** The client on a server: every command does nothing. */
export const doNothing = (): HeadlessAfterword => ({
  ...commandsOf(() => () => {}),
  getSurvey: () => undefined,
  subscribe: () => () => {},
  claim: () => () => {},
});

function headlessSurvey(view: SurveyViewOptions, done: () => void): HeadlessSurvey {
  const { survey, draft, openedByPerson, rated, saveDraft, submit, dismiss, leave } = view;
  const { question, followUpQuestion, endLabels } = survey;
  return {
    survey,
    ratings: ratingsOf(survey),
    words:
      view.words ?? (() => ({ question, followUpQuestion, endLabels: endLabels ?? {}, suggestions: [] })),
    draft,
    openedByPerson,
    rate: rated,
    saveDraft,
    submit,
    dismiss() {
      dismiss();
      done();
    },
    leave() {
      leave();
      done();
    },
    done,
  };
}

/** Without `view` the page draws every survey, claimed or not. */
type HeadlessLoaders = Omit<Loaders, "view"> & Partial<Loaders>;

/** Holds the open survey for a page that draws it. */
function createHolder(page: Page) {
  // An EventTarget, because an error in one listener does not affect the others.
  const changes = new page.EventTarget();
  let current: HeadlessSurvey | undefined;
  const getSurvey: HeadlessAfterword["getSurvey"] = (slug) =>
    slug === undefined || slug === current?.survey.slug ? current : undefined;
  function change(next: HeadlessSurvey | undefined) {
    current = next;
    changes.dispatchEvent(new page.CustomEvent("change"));
  }
  const hold: ShowSurvey = (view) => {
    function done() {
      if (current !== mine) return;
      change(undefined);
      view.closed();
    }
    const mine = headlessSurvey(view, done);
    change(mine);
    view.shown();
    return { close: done };
  };
  function subscribe(listener: () => void) {
    const onEvent = () => listener();
    changes.addEventListener("change", onEvent);
    return () => changes.removeEventListener("change", onEvent);
  }
  return { getSurvey, subscribe, hold };
}

/** The page's client of this key, with a view that holds the open survey if the page draws it. */
export function openHeadless(options: AfterwordOptions, page: Page, load: HeadlessLoaders) {
  const client = clientOfPage(options, page, load as Loaders);
  if (!load.view) client.draw = undefined;
  return (client.headless ??= createHeadless(client, page)) as HeadlessAfterword;
}

function createHeadless(client: PageClient, page: Page): HeadlessAfterword {
  const { getSurvey, subscribe, hold } = createHolder(page);
  const claims = new Set<{ slug?: string }>();
  const isClaimed = (slug: string) => [...claims].some((claim) => (claim.slug ?? slug) === slug);
  client.load.isHeadless = (slug) => !client.draw || isClaimed(slug);
  client.load.view = async () => {
    const file = await client.draw?.();
    const showSurvey: ShowSurvey = (view) =>
      (file && !isClaimed(view.survey.slug) ? file.showSurvey : hold)(view);
    return { showSurvey };
  };
  return {
    ...commandsOf(client.call),
    getSurvey,
    subscribe,
    claim(slug) {
      const claim = { slug };
      claims.add(claim);
      return () => {
        const open = claims.delete(claim) ? getSurvey(slug) : undefined;
        if (open && !isClaimed(open.survey.slug)) open.leave();
      };
    },
  };
}
