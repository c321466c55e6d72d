import type { Leased, PendingScore, PendingScoresReply } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ConfigurationError, ConnectionError } from "../errors/afterword-error.ts";
import type { CallOptions, Transport } from "../http/transport.ts";
import { checkedWholeNumber } from "../options/checked-option.ts";
import { isObject } from "../options/json.ts";

/** Which scores are listed, and how many at once. */
export interface PendingScoresOptions extends CallOptions {
  /** Scores per page, 1 to 100. Default 100. */
  limit?: number | undefined;
  /** Also list what was acknowledged as failed. Default false. */
  includeFailed?: boolean | undefined;
  /** Continue after the page with this `nextCursor`. */
  cursor?: string | undefined;
  /**
   * Keeps what is listed from other consumers for so many seconds, 1 to 300, where the service offers leases. 0 gives back
   * all that this consumer holds. Needs `consumer`. Default: no lease.
   */
  leaseInSeconds?: number | undefined;
  /** Random id of this consumer, 1 to 64 characters, the same for as long as it runs. Needs `leaseInSeconds`. */
  consumer?: string | undefined;
}

/** One page of the queue, oldest first. */
export interface PendingScoresPage {
  scores: PendingScore[];
  /** Absent on the last page. */
  nextCursor?: string;
  /** The lease as the service confirms it; absent if none was asked for, or the service offers none. */
  leaseInSeconds?: number;
  /** What other consumers hold of the whole queue; absent without a lease, or if the service does not say. */
  leased?: Leased;
}

/** The queue as scores; `pages()` returns it as pages. Each iteration starts at the head. */
export interface PendingScores extends AsyncIterable<PendingScore> {
  pages(): AsyncIterable<PendingScoresPage>;
}

/** How many scores changed their state; repeated, unknown and foreign ids change nothing and are not counted. */
export type AckSummary = { updated: number };

const route = "GET /v1/sdk/pending-scores";

/** What is wrong with each score that no sink could take; its content is not repeated. */
function faultOf(score: unknown): string | undefined {
  if (!isObject(score)) return "not an object";
  const { id, at } = score;
  if (typeof id !== "string" || id === "") return "no id";
  return typeof at === "string" && !Number.isNaN(Date.parse(at)) ? undefined : "no valid time";
}

/** Separates the scores that can be delivered from the faults of all others: one malformed score holds up no other. */
export function wellFormed(scores: readonly unknown[]): { scores: PendingScore[]; malformed: string[] } {
  const faults = scores.map(faultOf);
  return {
    scores: scores.filter((_, index) => faults[index] === undefined) as PendingScore[],
    malformed: faults.filter((fault) => fault !== undefined),
  };
}

const isLeased = (leased: unknown): leased is Leased => {
  const { count, until } = Object(leased) as Partial<Record<keyof Leased, unknown>>;
  return count === 0 || (Number.isSafeInteger(count) && !Number.isNaN(Date.parse(String(until))));
};

/**
 * Checks a reply before its scores are read: a repeated cursor would cause an endless loop. `null` and an empty cursor end
 * the pages as a missing one does.
 */
function checkedPage(reply: PendingScoresReply, seen: Set<unknown>): PendingScoresPage {
  const { scores, nextCursor, lease, leased } = reply as Partial<Record<keyof PendingScoresReply, unknown>>;
  if (!Array.isArray(scores)) {
    throw new ConnectionError(`${route} was answered without valid \`scores\``);
  }
  const page = {
    scores,
    ...(typeof lease === "number" && { leaseInSeconds: lease }),
    ...(isLeased(leased) && { leased }),
  };
  if (nextCursor === undefined || nextCursor === null || nextCursor === "") return page;
  if (typeof nextCursor !== "string" || seen.has(nextCursor)) {
    throw new ConnectionError(
      `${route} was answered with a \`nextCursor\` that is not a string, or was used before`,
    );
  }
  seen.add(nextCursor);
  return { ...page, nextCursor };
}

/** @throws ConfigurationError for a lease without a consumer, or the reverse */
function checkLease({ leaseInSeconds, consumer }: PendingScoresOptions): void {
  if (leaseInSeconds !== undefined)
    checkedWholeNumber("leaseInSeconds", leaseInSeconds, 0, limits.leaseInSeconds);
  if ((leaseInSeconds === undefined) !== (consumer === undefined)) {
    throw new ConfigurationError("leaseInSeconds and consumer belong together: pass both or neither.");
  }
}

export function pendingScores(transport: Transport, options: PendingScoresOptions = {}): PendingScores {
  const { limit = limits.pageSize, includeFailed = false, cursor: start, leaseInSeconds, consumer } = options;
  checkedWholeNumber("limit", limit, 1, limits.pageSize);
  checkLease(options);
  const constant = {
    limit: String(limit),
    includeFailed: includeFailed ? "true" : undefined,
    lease: leaseInSeconds?.toString(),
    consumer,
  };

  async function* pages(): AsyncGenerator<PendingScoresPage> {
    let cursor = start;
    const seen = new Set<unknown>([start]);
    do {
      const reply = await transport.json(route, { query: { ...constant, cursor } }, options);
      const page = checkedPage(reply, seen);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async function* each(): AsyncGenerator<PendingScore> {
    for await (const page of pages()) yield* wellFormed(page.scores).scores;
  }

  return { pages, [Symbol.asyncIterator]: each };
}
