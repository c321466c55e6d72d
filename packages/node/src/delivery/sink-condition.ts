import type { Outcome } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreEntry } from "./score-book.ts";
import { backoffs, isEverything, noRefusals, oneMore, reasonOf, type Trouble, worse } from "./trouble.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;
/** What an outcome means for its score: whether all scores are refused is judged apart. */
export type Judged = Exclude<Outcome, { outcome: "fatal" }>;

type SinkSettings = Pick<DeliverySettings, "sink" | "concurrency" | "pollIntervalInMs" | "random">;

/** After so many refusals in a row, scores that were not refused yet are tried one at a time, after growing pauses. */
const refusalsBeforeProbing = 3;
/** One score that is refused again and again does not show that others would be. */
const refusedScores = 2;
/** So many different scores refused for good, and none accepted between them: the sink, not the scores, is wrong. */
const rejectionsInARow = 5;
/** The share of calls at once that a failure leaves, and how fast they grow again: a limit of 30 a minute costs few refusals. */
const shareAfterFailure = 1 / 8;
const growth = 1 / 4;

/**
 * How the sink is doing: how many calls it may get (additive increase, multiplicative decrease), how long it is left alone,
 * and whether it refuses everything. A rate-limited sink is called at its own rate, and a dead one is probed.
 */
export class SinkCondition {
  readonly #settings: SinkSettings;
  #allowed: number;
  #running = 0;
  /** Calls are numbered, so that those which fail together count once. */
  #issued = 0;
  #issuedAtFailure = 0;
  #refused = noRefusals;
  #refusedScores = 0;
  #rejected = 0;
  #accepted = 0;
  trouble: Trouble | undefined;
  /** Different scores whose first attempt has failed since the last one was accepted. */
  failedInARow = 0;

  constructor(settings: SinkSettings) {
    this.#settings = settings;
    this.#allowed = settings.concurrency;
  }

  /** A new run: whatever was refused may have been mended. */
  begin(): void {
    this.#refused = noRefusals;
    this.#refusedScores = 0;
  }

  isPaused(now: number): boolean {
    return this.trouble !== undefined && this.trouble.until > now;
  }

  hasRoom(now: number): boolean {
    return !this.isPaused(now) && this.#running < Math.floor(this.#allowed);
  }

  /** Whether untried scores go first: one that was refused before cannot show whether all are. */
  get isProbing(): boolean {
    const isRefusing = this.#refusedScores >= refusedScores && this.#refused.count >= refusalsBeforeProbing;
    return isRefusing || this.isRejecting;
  }

  /** Whether the sink refuses all scores for good, so that the rest is kept. A `fanOut` judges each of its sinks itself. */
  get isRejecting(): boolean {
    return this.#rejected >= rejectionsInARow && this.#settings.sink.parts === undefined;
  }

  get lastRefusal(): string | undefined {
    return this.#refused.lastReason;
  }

  /** Whether nothing can be delivered until a key or a setting is changed (decision O62). */
  refusesEverything(now: number): boolean {
    return this.#refusedScores >= refusedScores && isEverything(this.#refused, now);
  }

  began(): number {
    this.#running += 1;
    this.#issued += 1;
    return this.#issued;
  }

  ended(): void {
    this.#running -= 1;
  }

  /** What the outcome of a score means for it and for those behind it. */
  judge(entry: ScoreEntry, outcome: Outcome, now: number): Judged {
    if (outcome.outcome === "delivered") {
      this.#accepted += 1;
      this.#rejected = 0;
      this.failedInARow = 0;
    }
    if (outcome.outcome === "delivered" || outcome.outcome === "permanent") this.begin();
    if (outcome.outcome === "permanent") return this.#rejection(outcome);
    if (outcome.outcome === "delivered") return outcome;
    if (entry.acceptedBefore === undefined) {
      entry.acceptedBefore = this.#accepted;
      this.failedInARow += 1;
    }
    return outcome.outcome === "fatal" ? this.#refusal(entry, outcome.reason, now) : outcome;
  }

  /** A score that was refused while others were accepted says nothing about the key, however often it is refused again. */
  #refusal(entry: ScoreEntry, reason: string, now: number): Judged {
    if (entry.acceptedBefore === this.#accepted) {
      if (entry.isRefused !== true) this.#refusedScores += 1;
      this.#refused = oneMore(this.#refused, reason, now);
    }
    entry.isRefused = true;
    return this.isProbing
      ? { outcome: "retry", reason, scope: "sink" }
      : { outcome: "retry", reason, scope: "score" };
  }

  #rejection(outcome: Extract<Outcome, { outcome: "permanent" }>): Judged {
    if (!this.isRejecting) {
      this.#rejected += 1;
      return outcome;
    }
    const reason = `${outcome.reason}; ${rejectionsInARow} scores in a row were refused for good, so the others are kept`;
    return { outcome: "retry", reason, scope: "sink", afterInMs: this.#settings.pollIntervalInMs };
  }

  /** Adjusts the pace to a call's outcomes. Returns whether the sink has failed as a whole. */
  paceAfter(permit: number, outcomes: readonly Judged[], hasRefusal: boolean, now: number): boolean {
    const failures = outcomes.filter(isFailureOfSink);
    const [failure] = failures;
    if (failure === undefined) {
      if (outcomes.length > 0 && !hasRefusal) this.#succeeded(now);
      return false;
    }
    const { random } = this.#settings;
    const isNew = permit > this.#issuedAtFailure;
    const before = this.trouble && { ...this.trouble, failures: this.trouble.failures - (isNew ? 0 : 1) };
    const wishInMs = Math.max(0, ...failures.map(({ afterInMs }) => afterInMs || 0));
    const backoff = this.isRejecting ? { firstInMs: 1, longestInMs: 1 } : backoffs.sink;
    const next = worse(before, backoff, { reason: reasonOf(failure.reason), now, random, wishInMs });
    this.trouble = { ...next, until: Math.max(this.trouble?.until ?? 0, next.until) };
    if (!isNew) return true;
    this.#issuedAtFailure = this.#issued;
    this.#allowed = this.isRejecting ? 1 : Math.max(1, this.#allowed * shareAfterFailure);
    return true;
  }

  #succeeded(now: number): void {
    this.#allowed = Math.min(this.#settings.concurrency, this.#allowed + growth / this.#allowed);
    // Of several calls at once some may pass a rate limit that the others hit.
    if (this.trouble) this.trouble = this.isPaused(now) ? { ...this.trouble, failures: 0 } : undefined;
  }
}

const isFailureOfSink = (outcome: Judged): outcome is Retry =>
  outcome.outcome === "retry" && outcome.scope === "sink";
