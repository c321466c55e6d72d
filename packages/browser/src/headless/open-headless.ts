import type { SurveyWords } from "@afterword/protocol";
import { clientOfPage, commandsOf, type Loaders, type PageClient } from "../core/client/index.ts";
import type {
  Afterword,
  AfterwordOptions,
  ShowSurvey,
  SurveyActions,
  SurveyViewOptions,
} from "../core/public/index.ts";
import type { RatedRun, RunVote, RunWithTokens, VoteState } from "../core/public/index.ts";
import type { Page } from "../core/page/index.ts";

/** An open survey that the page renders: its state and the person's actions. */
export interface HeadlessSurvey extends SurveyActions {
  /**
   * The texts to show, in the language of the option or of the page: question, follow-up question and suggestions for a
   * rating, and the end labels.
   */
  words(rating?: number): SurveyWords;
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
   * The vote on a run: what the page, its outbox or the service knows, which is asked once for each token. `undefined` before
   * consent where that is required, and until what sends votes has loaded. The same object until `subscribe` tells of a change.
   */
  voteOf(run: RatedRun | RunWithTokens): VoteState | undefined;
  /**
   * Lets the page draw this survey, or without a slug every survey, in place of the widget. Returns a function that
   * ends the claim and closes an open survey: a chosen rating is sent, otherwise the survey may come again.
   */
  claim(slug?: string): () => void;
}

/** The client on a server: every command does nothing. */
const nothing = () => undefined;
export const doNothing = (): HeadlessAfterword => ({
  ...commandsOf(() => nothing),
  getSurvey: nothing,
  subscribe: () => nothing,
  voteOf: nothing,
  claim: () => nothing,
});

function headlessSurvey(view: SurveyViewOptions, done: () => void): HeadlessSurvey {
  const { survey, ratings, draft, openedByPerson, rate, saveDraft, submit } = view;
  const words = view.words!;
  const dismiss = () => (view.dismiss(), done());
  const leave = () => (view.leave(), done());
  return { survey, ratings, words, draft, openedByPerson, rate, saveDraft, submit, dismiss, leave, done };
}

/** Holds the open survey for a page that draws it. */
function createHolder(page: Page) {
  // An EventTarget, because an error in one listener does not affect the others.
  const changes = new page.EventTarget();
  let current: HeadlessSurvey | undefined;
  const getSurvey: HeadlessAfterword["getSurvey"] = (slug) =>
    slug === undefined || slug === current?.survey.slug ? current : undefined;
  const changed = () => void changes.dispatchEvent(new page.CustomEvent("change"));
  const hold: ShowSurvey = (view) => {
    function done() {
      if (current !== mine) return;
      current = undefined;
      changed();
      view.closed();
    }
    const mine = (current = headlessSurvey(view, done));
    changed();
    view.shown();
    return { close: done };
  };
  function subscribe(listener: () => void) {
    const onEvent = () => listener();
    changes.addEventListener("change", onEvent);
    return () => changes.removeEventListener("change", onEvent);
  }
  return { getSurvey, subscribe, hold, changed };
}

/**
 * The page's client of this key, with a view that holds the open survey if the page draws it: without `view` every one,
 * claimed or not.
 */
export function openHeadless(options: AfterwordOptions, page: Page, load: Loaders) {
  const client = clientOfPage(options, page, load);
  if (!load.view) client.draw = undefined;
  return (client.headless ??= createHeadless(client, page)) as HeadlessAfterword;
}

function createHeadless(client: PageClient, page: Page): HeadlessAfterword {
  const { getSurvey, subscribe, hold, changed } = createHolder(page);
  /** By run and person, because it is the next person's vote after `reset`. */
  const votes: Record<string, RunVote | undefined> = {};
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
    voteOf(run) {
      const name = JSON.stringify([client.call("respondent"), run]);
      if (!(name in votes)) {
        votes[name] = undefined;
        const ready = (vote: RunVote) => {
          votes[name] = vote;
          vote.subscribe(changed);
          changed();
        };
        void client.call("rate", run, {}, { type: "csat", ready });
      }
      return votes[name]?.getState();
    },
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
