import { backoffInMs, type Backoff, waitInMs } from "../http/backoff.ts";

/** Why a score, the sink or a request to the service fails, and when the next attempt may come. */
export interface Failure {
  /** Without request ids, so that one cause has one reason. */
  reason: string;
  /** When it began to fail for this reason. */
  since: number;
  /** Failures in a row. */
  count: number;
  until: number;
}

/** How long each waits: a failing score must not hold up the others, an occasional failure must not pause a sink. */
export const backoffs = {
  score: { firstInMs: 1000, longestInMs: 300_000 },
  sink: { firstInMs: 100, longestInMs: 60_000 },
  /** Of a sink that rejects all scores: each attempt is another score, and one may be accepted. */
  rejecting: { firstInMs: 2000, longestInMs: 2000 },
  polling: { firstInMs: 1000, longestInMs: 60_000 },
  acknowledging: { firstInMs: 500, longestInMs: 30_000 },
} satisfies Record<string, Backoff>;

interface FailedAttempt {
  reason: string;
  now: number;
  random: () => number;
  /** The wait that the sink or the service asks for. */
  askedInMs?: number | undefined;
}

/** The one rule for backing off: each failure in a row waits twice as long as the last. */
export function nextFailure(before: Failure | undefined, backoff: Backoff, attempt: FailedAttempt): Failure {
  const { now, random, askedInMs } = attempt;
  const reason = withoutRequestId(attempt.reason);
  const count = (before?.count ?? 0) + 1;
  const since = before?.reason === reason ? before.since : now;
  return { reason, since, count, until: now + waitInMs(backoffInMs(backoff, count, random), askedInMs) };
}

export const withoutRequestId = (reason: string) => reason.replaceAll(/ [([]request (id )?[\w.-]+[)\]]/g, "");

/** One refusal may come from a firewall or a proxy, and says nothing about other requests. */
const refusalsInARow = 5;
const spreadOverInMs = 60_000;
/** One score that is refused again and again does not show that others would be. */
const leastDifferent = 2;

/** Refusals of a key or an address in a row, with nothing accepted between them. */
export class RefusalStreak {
  #count = 0;
  #different = 0;
  #startedAt = 0;
  #lastAt = 0;

  /** @param isFirst whether what is refused was not refused before */
  add(now: number, isFirst = true): void {
    if (this.#count === 0) this.#startedAt = now;
    this.#lastAt = now;
    this.#count += 1;
    if (isFirst) this.#different += 1;
  }

  reset(): void {
    this.#count = 0;
    this.#different = 0;
  }

  /** Whether there are so many, of different scores or requests. */
  has(count: number): boolean {
    return this.#count >= count && this.#different >= leastDifferent;
  }

  /** Whether everything is refused: five replies, the last at least a minute after the first. */
  get isEverything(): boolean {
    return this.has(refusalsInARow) && this.#lastAt - this.#startedAt >= spreadOverInMs;
  }
}
