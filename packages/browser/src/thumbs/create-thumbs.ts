import type { Afterword, SubmitResult, SurveyAnswer } from "../core/public/index.ts";
import type { RatedRun, RunVote, RunWithTokens, Vote, VoteState } from "../core/public/index.ts";
import { createVote, emptyLine } from "../core/rating/index.ts";

/** The run to vote on, and the settings of the vote. */
export type ThumbsOptions = (RatedRun | RunWithTokens) & VoteSettings;

export interface VoteSettings {
  /** An earlier vote, shown as fixed; the service is not asked for one. */
  value?: Vote;
  /** How long a vote can be changed or withdrawn before it is sent, in milliseconds. Default 4,000. */
  holdInMs?: number;
  /** How long the line beside a bad answer stays open at least, in milliseconds. Default 20,000 (WCAG 2.2.1). */
  lineInMs?: number;
  /** BCP 47 tag of the survey's reasons. Default: the option `language`, then the page's, then the browser's. */
  language?: string;
}

/** A vote on one run: up is a rating of 5 on a csat survey, down is a rating of 1. */
export interface Thumbs extends Pick<RunVote, "getState" | "subscribe"> {
  /**
   * Resolves to true once consent is given and what sends votes has loaded, so that none is lost; to false if the run cannot
   * be rated or a file did not load, which `on("error")` reports.
   */
  ready: Promise<boolean>;
  /** Whether the vote was given here, so that its line opens here and not at other controls of the run. */
  isOwn(): boolean;
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

/** The ratings on a csat survey. */
export const ratings: Record<Vote, number> = { up: 5, down: 1 };

class RunThumbs implements Thumbs {
  readonly #rate: Afterword["rate"];
  readonly #options: VoteSettings & Partial<RatedRun>;
  readonly #now: () => number;
  readonly ready: Promise<boolean>;
  /** Of this control alone until it is ready, then of all controls of the run. */
  #vote = createVote();
  #attempt?: AbortController;
  #token?: Promise<string>;
  #isBusy = false;
  #lineUntil = 0;

  constructor(rate: Afterword["rate"], options: ThumbsOptions, now: () => number) {
    this.#rate = rate;
    this.#options = options;
    this.#now = now;
    const { value, token } = this.#options;
    if (token) this.#token = Promise.resolve(token);
    if (value) this.#vote.change({ rating: ratings[value], stage: "earlier" });
    this.ready = value ? Promise.resolve(true) : this.#prepare(options);
  }

  getState = () => this.#vote.getState();

  subscribe = (listener: () => void) => {
    const early = this.#vote;
    let stop: (() => void) | undefined = early.subscribe(listener);
    void this.ready.then(() => {
      if (!stop || early === this.#vote) return undefined;
      stop();
      stop = this.#vote.subscribe(listener);
      return listener();
    });
    return () => (stop = stop?.() as undefined);
  };

  isOwn = () => !!this.#attempt && this.#vote.attempt === this.#attempt;

  press = (pressed: Vote) => {
    const { isFixed, vote } = this.getState();
    if (isFixed) return this.leave();
    this.#isBusy = false;
    if (pressed === vote) {
      this.#withdraw();
      this.#vote.takeBack?.();
      return this.#vote.change({ ...emptyLine, rating: undefined, stage: "open" });
    }
    this.#lineUntil = pressed === "down" ? this.#now() + (this.#options.lineInMs ?? 20_000) : 0;
    this.#hold({ ...emptyLine, rating: ratings[pressed], stage: "held", isLineOpen: true });
  };

  choose = (reason: string) => {
    const { chosen } = this.getState();
    const others = chosen.filter((one) => one !== reason);
    if (this.#isHeld()) this.#hold({ chosen: others.length < chosen.length ? others : [...chosen, reason] });
  };

  write = (text: string, isBusy = !!text) => {
    if (!this.#isHeld() || !this.getState().isLineOpen) return;
    if (isBusy === this.#isBusy) return this.#vote.change({ text });
    this.#isBusy = isBusy;
    this.#hold({ text });
  };

  send = () => this.#close(this.getState().text);
  leave = () => this.#close();

  #isHeld = () => this.isOwn() && this.getState().stage === "held";

  /** Waits for consent and loads what a vote needs, then shares the run's vote. One that was given before goes on. */
  async #prepare(run: ThumbsOptions) {
    const early = this.#vote;
    const ready = (shared: RunVote) => {
      const before = this.getState();
      this.#vote = shared;
      if (before.stage === "open") return;
      shared.attempt = this.#attempt;
      shared.change(before);
    };
    await this.#rate(run, {} as SurveyAnswer, { ready, type: "csat" });
    return this.#vote !== early;
  }

  #hold(next: Partial<VoteState>) {
    const { holdInMs = 4000 } = this.#options;
    const heldUntil = this.#isBusy ? Infinity : Math.max(this.#now() + holdInMs, this.#lineUntil);
    void this.#give(heldUntil - this.#now(), { ...next, heldUntil });
  }

  #close(text?: string) {
    if (this.#isHeld()) void this.#give(0, {}, text);
    if (this.isOwn() && this.getState().isLineOpen) this.#vote.change({ isLineOpen: false });
  }

  #withdraw() {
    this.#vote.attempt?.abort();
    this.#vote.attempt = undefined;
  }

  /** Gets the token once, and anew after it was refused or could not be had. */
  #getToken = () => {
    const token = (this.#token ??= Promise.resolve(this.#options.getToken!()));
    token.catch(() => (this.#token = undefined));
    return token;
  };

  /** Rates the run by the vote as it is now, in place of its other attempts. */
  async #give(delayInMs: number, next: Partial<VoteState>, text = "") {
    if (this.#options.getToken && /expired|refused/.test(this.getState().stage)) this.#token = undefined;
    this.#withdraw();
    const attempt = (this.#attempt = this.#vote.attempt = new AbortController());
    this.#vote.change(next);
    const { token: _, language, ...run } = this.#options;
    const { rating, chosen } = this.getState();
    const suggest = (reasons: readonly string[]) => this.getState().reasons ?? this.#vote.change({ reasons });
    const result = await this.#rate(
      ("tokens" in run ? run : { ...run, getToken: this.#getToken }) as RatedRun,
      { rating: rating!, text: [...chosen, text].filter(Boolean).join(", ") || undefined },
      { delayInMs, signal: attempt.signal, type: "csat", language, suggest },
    );
    // What came from the outbox is known.
    const stage: SubmitResult = result ?? "refused";
    if (this.#vote.attempt !== attempt || this.getState().stage === stage) return;
    this.#vote.change({ stage, rating: /stored|queued/.test(stage) ? rating : undefined });
  }
}

/**
 * Votes with the `rate` of an Afterword. Draws nothing and never throws; its `on("error")` reports errors.
 *
 * @param now The time in milliseconds.
 */
export function createThumbs(rate: Afterword["rate"], options: ThumbsOptions, now = Date.now): Thumbs {
  return new RunThumbs(rate, options, now);
}
