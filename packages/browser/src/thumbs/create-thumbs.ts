import type { Afterword } from "../core/afterword.ts";
import type { RatedRun } from "../core/options.ts";
import type { SubmitResult, SurveyAnswer } from "../core/survey-view.ts";

export type Vote = "up" | "down";

/** The run to vote on, and the settings of the vote. */
export interface ThumbsOptions extends RatedRun {
  /** An earlier vote, shown as fixed. */
  value?: Vote;
  /** How long a vote can be changed or withdrawn before it is sent, in milliseconds. Default 4,000. */
  holdInMs?: number;
  /** BCP 47 tag of the survey's reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
}

export interface ThumbsState {
  vote?: Vote;
  /** The text in the field beside a bad answer. */
  text: string;
  /**
   * The survey's suggested reasons for a bad answer, set within half a second of it and fixed from then on. Empty if
   * the survey suggests none or has not loaded yet.
   */
  reasons?: readonly string[];
  /**
   * `open`: no vote. `held`: it can still be changed or withdrawn. `sending` and then `stored` or `queued`: fixed.
   * `already`: fixed too, because an earlier vote stands, which only `value` shows.
   * `refused`: not accepted; the person may try again. `earlier`: the vote given as `value`.
   */
  stage: "open" | "held" | "sending" | "earlier" | SubmitResult;
  /** Whether the vote can no longer be changed. */
  isFixed: boolean;
}

/** A vote on one run: up is a rating of 5 on a csat survey, down is a rating of 1. */
export interface Thumbs {
  /** The same object until it changes. */
  getState(): ThumbsState;
  /** Calls back at each change; returns a function that unsubscribes. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /** Votes, changes the vote, or withdraws it if the thumb is the same. Does nothing once the vote is fixed. */
  press(vote: Vote): void;
  /** Sets the text. The vote waits while the person is writing: by default, while there is text. */
  write(text: string, isWriting?: boolean): void;
  /** Sends the vote now, with the text. */
  send(): void;
  /** Call when the control is removed: sends a held vote now, without unsent text. */
  leave(): void;
}

/** The ratings on a csat survey. */
export const ratings: Record<Vote, number> = { up: 5, down: 1 };
const defaultHoldInMs = 4000;
/** The longest delay of a timer: until the text is sent or the page is left. */
const longestInMs = 2 ** 31 - 1;

let ready: unknown;

/**
 * Preloads, once, what a vote needs, so that a vote just before the page is left still arrives: a rating aborted
 * beforehand loads it and sends nothing.
 */
export const prepare = (rate: Afterword["rate"]): unknown =>
  (ready ??= rate({} as RatedRun, {} as SurveyAnswer, { signal: AbortSignal.abort() }));

/** Votes with the `rate` of an Afterword. Draws nothing and never throws; its `on("error")` reports errors. */
export function createThumbs(rate: Afterword["rate"], options: ThumbsOptions): Thumbs {
  const { value, holdInMs = defaultHoldInMs, getToken, language, ...run } = options;
  const listeners = new Set<() => void>();
  let state!: ThumbsState;
  let isWaitingForText = false;
  let token: Promise<string> | undefined; // Shared by all changes of mind until it fails.
  let attempt: AbortController | undefined;
  if (!value) prepare(rate);
  const tokenOnce = () => {
    token ??= Promise.resolve(getToken!());
    token.catch(() => (token = undefined));
    return token;
  };
  function change(next: Partial<ThumbsState>) {
    state = { ...state, ...next };
    state.isFixed = !/open|held|refused/.test(state.stage);
    for (const listener of listeners) listener();
  }
  const settled = (stage: SubmitResult) =>
    change(/stored|queued/.test(stage) ? { stage } : { stage, vote: undefined });
  const sending = () => change({ stage: "sending" });
  const suggest = (reasons: readonly string[]) => state.reasons || change({ reasons });
  async function give(delayInMs: number, text?: string) {
    attempt?.abort();
    const { signal } = (attempt = new AbortController());
    const result = await rate(
      { ...run, getToken: tokenOnce },
      { rating: ratings[state.vote!], text },
      { delayInMs, signal, type: "csat", sending, settled, language, suggest },
    );
    if (!signal.aborted) settled(result ?? "refused");
  }
  change({ vote: value, text: "", stage: value ? "earlier" : "open" });
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press(vote) {
      if (state.isFixed) return;
      if (vote === state.vote) {
        attempt?.abort();
        return change({ vote: undefined, text: "", stage: "open" });
      }
      isWaitingForText = false;
      change({ vote, text: "", stage: "held" });
      void give(holdInMs);
    },
    write(text, isWriting = !!text) {
      if (state.stage !== "held") return;
      change({ text });
      if (isWriting === isWaitingForText) return;
      isWaitingForText = isWriting;
      void give(isWriting ? longestInMs : holdInMs);
    },
    send: () => void (state.stage === "held" && give(0, state.text)),
    leave: () => void (state.stage === "held" && give(0)),
  };
}
