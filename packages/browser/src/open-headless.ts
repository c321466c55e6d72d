import type { SurveyDefinition } from "@afterword/protocol";
import { guarded } from "./call.ts";
import { commandsOf } from "./commands.ts";
import type { Afterword } from "./core/afterword.ts";
import type { AskingModule } from "./core/asking.ts";
import { Client } from "./core/client.ts";
import type { Loaders } from "./core/loaders.ts";
import type { AfterwordOptions } from "./core/options.ts";
import type { Page } from "./core/page.ts";
import type { SubmitResult, SurveyAnswer, SurveyDraft, SurveyViewOptions } from "./core/survey-view.ts";

/** An open survey for a page that renders it: its state, and the actions of the person. */
export interface HeadlessSurvey {
  survey: SurveyDefinition;
  /** The unfinished answer from before a reload. */
  draft: SurveyDraft;
  /** Whether the person asked for it, so that focus may move into it. */
  openedByPerson: boolean;
  /** At each choice of a rating; sends nothing yet. */
  rate(rating: number): void;
  /** Saves the unfinished answer; call it at each change of the text. */
  saveDraft(draft: SurveyDraft): void;
  /*   * Sends the answer, once. `stored`: say thanks. `queued`: not sent yet, will be retried; `settled` gets the outcome.
   * `refused`: it cannot be stored.
   */
  submit(answer: SurveyAnswer, settled?: (result: SubmitResult) => void): Promise<SubmitResult>;
  /** Closes the survey: sends a chosen rating, otherwise the dismissal. */
  dismiss(): void;
  /** Call when the survey has left the page, after the thanks; then the next may open. */
  done(): void;
}

export interface HeadlessAfterword extends Afterword {
  /** What is to be drawn now, if anything. The same object until it changes. */
  getSurvey(): HeadlessSurvey | undefined;
  /** Calls back at each change; returns a function that unsubscribes. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
}

function headlessSurvey(view: SurveyViewOptions, done: () => void): HeadlessSurvey {
  const { survey, draft, openedByPerson, rated, saveDraft, submit, dismiss } = view;
  return {
    survey,
    draft,
    openedByPerson,
    rate: rated,
    saveDraft,
    submit,
    dismiss() {
      dismiss();
      done();
    },
    done,
  };
}

interface HeadlessLoaders extends Pick<Loaders, "explain"> {
  asking(): Promise<Pick<AskingModule, "Asking">>;
}

/** The client with a view that only holds the open survey. */
export function openHeadless(
  options: AfterwordOptions,
  page: Page,
  load: HeadlessLoaders,
): HeadlessAfterword {
  // An EventTarget, because an error of one listener does not affect the others.
  const changes = new page.EventTarget();
  let current: HeadlessSurvey | undefined;
  function change(next: HeadlessSurvey | undefined) {
    current = next;
    changes.dispatchEvent(new page.CustomEvent("change"));
  }
  const showSurvey = (view: SurveyViewOptions) => {
    function done() {
      if (current !== mine) return;
      change(undefined);
      view.closed();
    }
    const mine = headlessSurvey(view, done);
    change(mine);
    return { close: done };
  };
  const asking = async () => ({ ...(await load.asking()), showSurvey });
  const client = new Client(options, page, { ...load, asking, isHeadless: true });
  return {
    ...commandsOf(guarded(client)),
    getSurvey: () => current,
    subscribe(listener) {
      const hear = () => listener();
      changes.addEventListener("change", hear);
      return () => changes.removeEventListener("change", hear);
    },
  };
}
