import type { Afterword } from "../core/afterword.ts";
import type { RatedRun } from "../core/options.ts";
import type { SubmitResult, SurveyAnswer } from "../core/survey-view.ts";

export type Vote = "up" | "down";

/** The run that is voted on, and what the page knows of it. */
export interface ThumbsOptions extends RatedRun {
  /** An earlier vote: shown, and fixed. */
  value?: Vote;
  /** How long a vote can be changed or withdrawn before it is sent, in milliseconds. Default 4,000. */
  holdInMs?: number;
  /** BCP 47 tag of the survey's reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
}

export interface ThumbsState {
  vote?: Vote;
  /** What stands in the line beside a bad answer. */
  text: string;
  /**
   * What the survey suggests as reasons of a bad answer, within half a second of it and from then on the same. Empty: it
   * suggests nothing, or is not here yet.
   */
  reasons?: readonly string[];
  /**
   * `open`: no vote. `held`: it can still be changed or withdrawn. `sending` and then `stored` or `queued`: fixed.
   * `refused`: it was not taken, and the person may try again. `earlier`: the vote that `value` gave.
   */
  stage: "open" | "held" | "sending" | "earlier" | SubmitResult;
  /** Whether the vote can no longer be changed. */
  isFixed: boolean;
}

/** A vote on one run: up is a rating of 5 on a csat survey, down is a rating of 1. */
export interface Thumbs {
  /** The same object until it changes. */
  getState(): ThumbsState;
  /** Calls back at each change; returns how to stop. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /** The person presses a thumb: votes, changes the vote, or withdraws it by the same thumb. Does nothing once it is fixed. */
  press(vote: Vote): void;
  /** What stands in the line. While the person is writing, the vote waits: by default while there is text. */
  write(text: string, isWriting?: boolean): void;
  /** Sends the vote now, with the text. */
  send(): void;
  /** The control goes away: a vote that waits is sent now, without unsent text. */
  leave(): void;
}

/** On a csat survey. */
export const ratings: Record<Vote, number> = { up: 5, down: 1 };
const defaultHoldInMs = 4000;
/** Timers take no more: until the text is sent or the page is left. */
const longestInMs = 2 ** 31 - 1;

let ready: unknown;

/**
 * Loads what a vote needs, once, so that one that is given just before the page is left arrives: a rating that was
 * withdrawn beforehand loads it and sends nothing.
 */
export const prepare = (rate: Afterword["rate"]): unknown =>
  (ready ??= rate({} as RatedRun, {} as SurveyAnswer, { signal: AbortSignal.abort() }));

/** Votes by `rate` of an Afterword. Draws nothing and never throws: what goes wrong is told to its `on("error")`. */
export function createThumbs(rate: Afterword["rate"], options: ThumbsOptions): Thumbs {
  const { value, holdInMs = defaultHoldInMs, getToken, language, ...run } = options;
  const listeners = new Set<() => void>();
  let state!: ThumbsState;
  let isWaitingForText = false;
  let token: Promise<string> | undefined; // One for all changes of mind, until it fails.
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
    change(stage === "refused" ? { stage, vote: undefined } : { stage });
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
