import { backoffInMs, type Backoff, waitInMs } from "../http/backoff.ts";

/**
 * Why a score, the sink, polling or acknowledging fails, and when the next attempt may come. All moments of this folder
 * are of the monotonic clock.
 */
export interface Trouble {
  /** Without request ids, so that one cause has one reason. */
  reason: string;
  /** When it began to fail for this reason. */
  since: number;
  /** Failures in a row. */
  failures: number;
  until: number;
}

/** How long each waits: a failing score must not hold up the others, an occasional failure must not pause a sink. */
export const backoffs = {
  score: { firstInMs: 1000, longestInMs: 300_000 },
  sink: { firstInMs: 100, longestInMs: 60_000 },
  polling: { firstInMs: 1000, longestInMs: 60_000 },
  acknowledging: { firstInMs: 500, longestInMs: 30_000 },
} satisfies Record<string, Backoff>;

interface Failure {
  reason: string;
  now: number;
  random: () => number;
  /** The wait that the sink asks for: it can lengthen the backoff, never shorten it (decision O36). */
  wishInMs?: number;
}

/** The one rule for backing off: each failure in a row waits twice as long as the last. */
export function worse(
  before: Trouble | undefined,
  backoff: Backoff,
  { reason, now, random, wishInMs }: Failure,
): Trouble {
  const failures = (before?.failures ?? 0) + 1;
  const since = before?.reason === reason ? before.since : now;
  return { reason, since, failures, until: now + waitInMs(backoffInMs(backoff, failures, random), wishInMs) };
}

/** A reason without request ids. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/ [([]request (id )?[\w.-]+[)\]]/g, "");
}

/** A single refusal may come from a firewall or a proxy and says nothing about other requests. */
const repliesInARow = 5;
const spreadOverInMs = 60_000;

/** Refusals in a row of a key or an address, with nothing accepted between them (decision O62). */
export interface Refusals {
  count: number;
  startedAt: number;
  lastReason?: string;
}

export const noRefusals: Readonly<Refusals> = { count: 0, startedAt: 0 };

export const oneMore = ({ count, startedAt }: Refusals, lastReason: string, now: number): Refusals => ({
  count: count + 1,
  startedAt: count === 0 ? now : startedAt,
  lastReason,
});

/** Whether everything is refused: five replies, the last at least a minute after the first. */
export const isEverything = ({ count, startedAt }: Refusals, now: number): boolean =>
  count >= repliesInARow && now - startedAt >= spreadOverInMs;
