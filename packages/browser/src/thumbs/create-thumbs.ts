import type { Afterword } from "../core/client/index.ts";
import type { RatedRun, RateOptions, RunWithTokens } from "../core/options/index.ts";
import type { SubmitResult, SurveyAnswer } from "../core/survey/index.ts";

/** Which thumb was pressed: `up` is a rating of 5, `down` a rating of 1. */
export type Vote = "up" | "down";

/** The run to vote on, and the settings of the vote. */
export type ThumbsOptions = (RatedRun | RunWithTokens) & VoteSettings;

export interface VoteSettings {
  /** An earlier vote, shown as fixed. */
  value?: Vote;
  /** How long a vote can be changed or withdrawn before it is sent, in milliseconds. Default 4,000. */
  holdInMs?: number;
  /** How long the line beside a bad answer stays open at least, in milliseconds. Default 20,000 (WCAG 2.2.1). */
  lineInMs?: number;
  /** BCP 47 tag of the survey's reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
}

/** What a control of thumbs shows now. */
export interface ThumbsState {
  vote?: Vote;
  /** The text in the field beside a bad answer. */
  text: string;
  /** The reasons that were chosen; they are sent with the vote, before the text. */
  chosen: readonly string[];
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
  /** Whether the line beside a bad answer is open. If time sends the vote, it stays until `leave` is called. */
  isLineOpen: boolean;
  /** When a held vote will be sent, on the clock of `now`; `Infinity` while the person is busy with its line. */
  heldUntil?: number;
}

/** A vote on one run: up is a rating of 5 on a csat survey, down is a rating of 1. */
export interface Thumbs {
  /** The same object until it changes. */
  getState(): ThumbsState;
  /** Calls back at each change; returns a function that unsubscribes. Fits `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /** Votes, changes the vote, or withdraws it if the thumb is the same. Does nothing once the vote is fixed. */
  press(vote: Vote): void;
  /** Chooses a reason, or takes it back. */
  choose(reason: string): void;
  /** Sets the text. A bad answer waits while the person is busy with its line: by default, while there is text. */
  write(text: string, isBusy?: boolean): void;
  /** Sends the vote now, with the text. */
  send(): void;
  /** Call when the control is removed or its line is closed: closes it, and sends a held vote now without unsent text. */
  leave(): void;
}

/** What the person does with the control. */
export type ThumbsActions = Omit<Thumbs, "getState" | "subscribe">;

/** The ratings on a csat survey. */
export const ratings: Record<Vote, number> = { up: 5, down: 1 };
const defaultHoldInMs = 4000;
const defaultLineInMs = 20_000;
/** The longest delay of a timer: until the text is sent or the page is left. */
const longestInMs = 2 ** 31 - 1;

/** By client, because what all runs need loads once. */
const prepared = new WeakMap<Afterword["rate"], Promise<boolean>>();

/**
 * Waits for consent and loads what a vote needs, so that a vote just before the page is left still arrives. Resolves to
 * false if the run cannot be rated or a file did not load, which `on("error")` reports.
 */
export async function prepare(rate: Afterword["rate"], run: RatedRun | RunWithTokens): Promise<boolean> {
  const whetherReady = async (run: RatedRun | RunWithTokens) => {
    let isReady = false;
    const ready = () => void (isReady = true);
    await rate(run, {} as SurveyAnswer, { ready, type: "csat" });
    return isReady;
  };
  // Which survey is the one to rate depends on the run.
  if ("tokens" in run) return whetherReady(run);
  const preparing = prepared.get(rate) ?? whetherReady({} as RatedRun);
  prepared.set(rate, preparing);
  if (!(await preparing)) prepared.delete(rate);
  return preparing;
}

/** What a vote is now, and who listens to it. */
function createState(value?: Vote) {
  const listeners = new Set<() => void>();
  let state!: ThumbsState;
  function change(next: Partial<ThumbsState>) {
    state = { ...state, ...next };
    state.isFixed = !/open|held|refused/.test(state.stage);
    state.isLineOpen &&= state.vote === "down";
    for (const listener of listeners) listener();
  }
  function subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  change({ vote: value, text: "", chosen: [], stage: value ? "earlier" : "open", isLineOpen: false });
  return { getState: () => state, change, subscribe };
}

/** Gets the token of a run once, and anew after it was dropped or could not be had. */
function tokenOf({ token, getToken }: Partial<RatedRun>) {
  let known = token ? Promise.resolve(token) : undefined;
  const drop = () => void (getToken && (known = undefined));
  const get = async () => {
    known ??= Promise.resolve(getToken!());
    known.catch(drop);
    return known;
  };
  return { get, drop };
}

/** Creates the function that rates the run by the vote as it is now, in place of the attempt before it. */
function createAttempts(
  rate: Afterword["rate"],
  { language, ...run }: ThumbsOptions,
  { getState, change }: ReturnType<typeof createState>,
) {
  const token = tokenOf(run);
  const { token: _, ...tokenless } = run as RatedRun;
  const rated = "tokens" in run ? run : { ...tokenless, getToken: token.get };
  let attempt: AbortController | undefined;
  const sending = () => change({ stage: "sending" });
  const settled = (stage: SubmitResult) => {
    if (stage === "refused") token.drop();
    change(/stored|queued/.test(stage) ? { stage } : { stage, vote: undefined });
  };
  const suggest = (reasons: readonly string[]) => getState().reasons || change({ reasons });
  async function give(delayInMs: number, text = "") {
    attempt?.abort();
    const { signal } = (attempt = new AbortController());
    let isReplaced: boolean | undefined;
    const replaced: RateOptions["replaced"] = (rating, stage) => {
      isReplaced = true;
      const vote = rating === 5 ? "up" : rating === 1 ? "down" : undefined;
      change({ vote, text: "", chosen: [], stage: rating ? "sending" : "open" });
      if (stage) settled(stage);
    };
    const { vote, chosen } = getState();
    const result = await rate(
      rated,
      { rating: ratings[vote!], text: [...chosen, text].filter(Boolean).join(", ") || undefined },
      { delayInMs, signal, type: "csat", sending, settled, language, suggest, replaced },
    );
    if (!signal.aborted && !isReplaced) settled(result ?? "refused");
  }
  return {
    give: (...given: Parameters<typeof give>) => void give(...given),
    withdraw: () => attempt?.abort(),
  };
}

/**
 * Votes with the `rate` of an Afterword. Draws nothing and never throws; its `on("error")` reports errors.
 *
 * @param now The time in milliseconds.
 */
export function createThumbs(rate: Afterword["rate"], options: ThumbsOptions, now = Date.now): Thumbs {
  const { value, holdInMs = defaultHoldInMs, lineInMs = defaultLineInMs, ...run } = options;
  const state = createState(value);
  const { getState, change, subscribe } = state;
  const { give, withdraw } = createAttempts(rate, run, state);
  let isBusy = false;
  let lineUntil = 0;
  const isHeld = () => getState().stage === "held";
  const hold = () => {
    const heldUntil = isBusy ? Infinity : Math.max(now() + holdInMs, lineUntil);
    change({ heldUntil });
    give(Math.min(heldUntil - now(), longestInMs));
  };
  const close = (text?: string) => {
    if (isHeld()) give(0, text);
    if (getState().isLineOpen) change({ isLineOpen: false });
  };
  if (!value) void prepare(rate, run);
  return {
    getState,
    subscribe,
    press(vote) {
      if (getState().isFixed) return close();
      isBusy = false;
      if (vote === getState().vote) {
        withdraw();
        return change({ vote: undefined, text: "", chosen: [], stage: "open" });
      }
      lineUntil = vote === "down" ? now() + lineInMs : 0;
      change({ vote, text: "", chosen: [], stage: "held", isLineOpen: true });
      hold();
    },
    choose(reason) {
      if (!isHeld()) return;
      const { chosen } = getState();
      const others = chosen.filter((one) => one !== reason);
      change({ chosen: others.length < chosen.length ? others : [...chosen, reason] });
      hold();
    },
    write(text, isBusyNow = !!text) {
      if (!isHeld()) return;
      change({ text });
      if (isBusyNow === isBusy) return;
      isBusy = isBusyNow;
      hold();
    },
    send: () => close(getState().text),
    leave: () => close(),
  };
}
