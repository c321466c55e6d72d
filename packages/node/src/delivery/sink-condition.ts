import type { Outcome } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreEntry } from "./score-book.ts";
import { backoffs, RefusalStreak, type Trouble, worse } from "./trouble.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;
/** What an outcome means for its score: one that may concern all scores (`fatal`) is retried. */
export type Judged = Exclude<Outcome, { outcome: "fatal" }>;

/** After so many refusals in a row, scores that were not refused yet are tried one at a time, after growing pauses. */
const refusalsBeforeProbing = 3;
/** So many scores rejected, and none accepted between them: the sink, not the scores, is wrong. */
const rejectionsInARow = 5;
/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/** An open call of the sink. */
interface Call {
  since: number;
  entries: readonly ScoreEntry[];
  /** Whether it has taken too long and was aborted. */
  isLate?: boolean;
}

/**
 * How the sink is doing: how many calls it may get (additive increase, multiplicative decrease), how long it is left alone,
 * and whether it refuses the key (`fatal`) or rejects each score (`permanent`). A rate-limited sink is called at its own
 * rate, and a dead one is probed.
 */
export class SinkCondition {
  readonly #settings: DeliverySettings;
  /** Open calls by their numbers, the oldest first. */
  readonly calls = new Map<number, Call>();
  #lastCall = 0;
  #allowed: number;
  readonly #refusals = new RefusalStreak();
  #rejected = 0;
  /** How many scores it has accepted. */
  accepted = 0;
  trouble: Trouble | undefined;
  /** Why it refused a score (`fatal`), if it has decided about none since. */
  lastRefusal: string | undefined;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
    this.#allowed = settings.concurrency;
  }

  /** Begins to count refusals anew: in a new run, whatever was refused may have been mended. */
  forgetRefusals(): void {
    this.#refusals.reset();
    this.lastRefusal = undefined;
  }

  isPaused(now: number): boolean {
    return this.trouble !== undefined && this.trouble.until > now;
  }

  hasRoom(now: number): boolean {
    return !this.isPaused(now) && this.calls.size < Math.floor(this.#allowed);
  }

  /** How many scores the next call may have. */
  get batchSize(): number {
    return this.isRejecting ? 1 : (this.#settings.sink.batchSize ?? 1);
  }

  /** Whether untried scores go first: one that was refused before cannot show whether all are. */
  get isProbing(): boolean {
    return this.isRejecting || this.#refusals.has(refusalsBeforeProbing);
  }

  /** Whether the sink rejects all scores, so that the rest is kept. A `fanOut` judges each of its sinks itself. */
  get isRejecting(): boolean {
    return this.#rejected >= rejectionsInARow && this.#settings.sink.parts === undefined;
  }

  /** Whether nothing can be delivered until a key or a setting is changed. */
  refusesEverything(now: number): boolean {
    return this.#refusals.isEverything(now);
  }

  /** Returns the number of the call that begins. */
  beginCall(entries: readonly ScoreEntry[], now: number): number {
    this.#lastCall += 1;
    this.calls.set(this.#lastCall, { since: now, entries });
    return this.#lastCall;
  }

  /** What the outcome of a score means for it and for those behind it. */
  judge(entry: ScoreEntry, outcome: Outcome, now: number): Judged {
    switch (outcome.outcome) {
      case "delivered":
        this.forgetRefusals();
        this.#rejected = 0;
        this.accepted += 1;
        return outcome;
      case "permanent":
        this.forgetRefusals();
        if (this.isRejecting) return this.#kept(outcome.reason);
        this.#rejected += 1;
        return outcome;
      case "fatal":
        return this.#refused(entry, outcome.reason, now);
      case "retry":
        entry.acceptedBefore ??= this.accepted;
        return outcome;
    }
  }

  #kept(why: string): Judged {
    const reason = `${why}; ${rejectionsInARow} scores in a row were refused for good, so the others are kept`;
    return { outcome: "retry", reason, scope: "sink", afterInMs: this.#settings.pollIntervalInMs };
  }

  /** A score that was refused while others were accepted says nothing about the key, however often it is refused again. */
  #refused(entry: ScoreEntry, reason: string, now: number): Judged {
    entry.acceptedBefore ??= this.accepted;
    if (entry.acceptedBefore === this.accepted) {
      this.#refusals.add(now, entry.isRefused !== true);
      this.lastRefusal = reason;
    }
    entry.isRefused = true;
    return { outcome: "retry", reason, scope: this.isProbing ? "sink" : "score" };
  }

  /** Adjusts the pace to a call that the sink has answered without a failure as a whole. */
  succeeded(now: number): void {
    this.#allowed = Math.min(this.#settings.concurrency, this.#allowed + growth / this.#allowed);
    // Of several calls at once some may pass a rate limit that the others hit.
    if (!this.isPaused(now)) this.trouble = undefined;
  }

  /** Slows down after a call in which the sink has failed as a whole. Calls that fail together count once. */
  failed({ since }: Call, failures: readonly Retry[], now: number): void {
    const { trouble } = this;
    const isEarlier = trouble !== undefined && since < trouble.until;
    const before = trouble && { ...trouble, failures: trouble.failures - (isEarlier ? 1 : 0) };
    const wishInMs = Math.max(0, ...failures.map(({ afterInMs }) => afterInMs || 0));
    const backoff = this.isRejecting ? { firstInMs: 1, longestInMs: 1 } : backoffs.sink;
    const { random } = this.#settings;
    const next = worse(before, backoff, { reason: failures[0]!.reason, now, random, wishInMs });
    this.trouble = { ...next, until: Math.max(trouble?.until ?? 0, next.until) };
    if (!isEarlier) this.#allowed = this.isRejecting ? 1 : Math.max(1, this.#allowed * shareAfterFailure);
  }
}
