import type { DeliveryCounts, Outcome } from "./sink.ts";
import { backoffs, RefusalStreak, nextFailure, type Failure } from "./failure.ts";

/** What an outcome means for its score: one that may concern all scores (`fatal`) is retried. */
export type Judged = Exclude<Outcome, { outcome: "fatal" }>;

/** After so many refusals in a row the sink is left alone too: each score would be refused. */
const refusalsBeforePause = 3;
/** So many scores rejected, and none accepted between them: the sink, not the scores, is wrong. */
const rejectionsInARow = 5;

const countOf = { delivered: "delivered", permanent: "failed", retry: "retried" } as const;

/**
 * Whether a sink as a whole is down, refuses the key (`fatal`) or rejects each score (`permanent`), and for how long it is
 * then left alone.
 */
export class SinkCondition {
  readonly #random: () => number;
  readonly #keepsRejected: boolean;
  readonly #refusals = new RefusalStreak();
  #rejected = 0;
  #failedAt = -Infinity;
  /** Since the sink has failed as a whole, until a call succeeds. */
  failure: Failure | undefined;
  /** Why it refused a score (`fatal`), if it has decided about none since. */
  lastRefusal: string | undefined;
  /** Why the last score that was not delivered was not. */
  lastProblem: string | null = null;
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };

  /** @param options `keepsRejected`: whether scores are kept, and not failed, while the sink rejects all of them */
  constructor({ random, keepsRejected = true }: { random: () => number; keepsRejected?: boolean }) {
    this.#random = random;
    this.#keepsRejected = keepsRejected;
  }

  /** Begins to count refusals anew. */
  forgetRefusals(): void {
    this.#refusals.reset();
    this.lastRefusal = undefined;
  }

  isPaused(now: number): boolean {
    return this.failure !== undefined && this.failure.until > now;
  }

  /** Whether the sink rejects all scores, so that the rest is kept. */
  get isRejecting(): boolean {
    return this.#keepsRejected && this.#rejected >= rejectionsInARow;
  }

  /** Whether untried scores go first: one that was refused before cannot show whether all are. */
  get isProbing(): boolean {
    return this.isRejecting || this.#refusals.has(refusalsBeforePause);
  }

  /** Whether nothing can be delivered until a key or a setting is changed. */
  get refusesEverything(): boolean {
    return this.#refusals.isEverything;
  }

  /**
   * What the outcome of a score means for it and for those behind it.
   * @param isFirst whether the score was not refused before
   */
  judge(outcome: Outcome, now: number, isFirst = true): Judged {
    const judged = this.#judged(outcome, now, isFirst);
    this.counts[countOf[judged.outcome]] += 1;
    if (judged.outcome !== "delivered") this.lastProblem = judged.reason;
    return judged;
  }

  #judged(outcome: Outcome, now: number, isFirst: boolean): Judged {
    switch (outcome.outcome) {
      case "delivered":
        this.forgetRefusals();
        this.#rejected = 0;
        return outcome;
      case "permanent":
        this.forgetRefusals();
        if (this.isRejecting) return kept(outcome.reason);
        this.#rejected += 1;
        return outcome;
      case "fatal":
        this.#refusals.add(now, isFirst);
        this.lastRefusal = outcome.reason;
        return { outcome: "retry", reason: outcome.reason, scope: this.isProbing ? "sink" : "score" };
      case "retry":
        return outcome;
    }
  }

  /**
   * Records a call that began at `since`. Calls that fail together count once, and of several calls at once some may pass a
   * rate limit that the others hit. Returns what the call shows of the sink.
   */
  answered(
    since: number,
    judged: readonly Judged[],
    now: number,
  ): "failed" | "failedBefore" | "works" | undefined {
    const failures = judged.filter((one) => one.outcome === "retry").filter(({ scope }) => scope === "sink");
    const isEarlier = since <= this.#failedAt;
    if (judged.length === 0) return undefined;
    if (failures.length === 0) {
      if (!isEarlier) this.failure = undefined;
      return "works";
    }
    const { failure } = this;
    const before = failure && { ...failure, count: failure.count - Number(isEarlier) };
    const askedInMs = Math.max(0, ...failures.map(({ afterInMs }) => afterInMs || 0));
    const { reason } = failures[0]!;
    const backoff = this.isRejecting ? backoffs.rejecting : backoffs.sink;
    const next = nextFailure(before, backoff, { reason, now, random: this.#random, askedInMs });
    this.failure = { ...next, until: Math.max(failure?.until ?? 0, next.until) };
    this.#failedAt = now;
    return isEarlier ? "failedBefore" : "failed";
  }
}

const kept = (why: string): Judged => ({
  outcome: "retry",
  reason: `${why}; ${rejectionsInARow} scores in a row were refused for good, so the others are kept`,
  scope: "sink",
});
