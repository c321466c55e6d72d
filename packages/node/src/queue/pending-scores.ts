import type { PendingScore, PendingScoresReply } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import type { CallOptions, Transport } from "../http/transport.ts";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";

export interface PendingScoresOptions extends CallOptions {
  /** Rows per page, 1 to 100. Default 100. */
  limit?: number;
  /** Also list what was acknowledged as failed. Default false. */
  includeFailed?: boolean;
  /** Continue after the page with this `nextCursor`. */
  cursor?: string;
  /**
   * Keeps what is listed from other consumers for so many seconds, 1 to 300, where the service offers leases. 0 gives back
   * all that this consumer holds. Needs `consumer`. Default: no lease.
   */
  leaseInSeconds?: number;
  /** Random id of this consumer, 1 to 64 characters, the same for as long as it runs. Needs `leaseInSeconds`. */
  consumer?: string;
}

/** One page of the queue, oldest row first. */
export interface PendingScoresPage {
  scores: PendingScore[];
  /** Absent on the last page. */
  nextCursor?: string;
  /** The lease as the service confirms it; absent if none was asked for, or the service offers none. */
  leaseInSeconds?: number;
}

/** The queue as rows; `pages()` returns it as pages. Each iteration starts at the head. */
export interface PendingScores extends AsyncIterable<PendingScore> {
  pages(): AsyncIterable<PendingScoresPage>;
}

const route = "GET /v1/sdk/pending-scores";

/**
 * Checks a reply before its rows are pushed: acknowledgements and sinks depend on the ids, and a repeated cursor would
 * cause an endless loop. `null` and an empty cursor end the pages as a missing one does.
 */
function checkedPage(reply: PendingScoresReply, seen: Set<unknown>): PendingScoresPage {
  const { scores, nextCursor, lease }: { scores: unknown; nextCursor?: unknown; lease?: unknown } = reply;
  if (!Array.isArray(scores) || !scores.every((row) => typeof row?.id === "string" && row.id !== "")) {
    throw new ConnectionError(`${route} was answered without valid \`scores\``);
  }
  const page = { scores, ...(typeof lease === "number" && { leaseInSeconds: lease }) };
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
  const {
    limit = limits.pageSize,
    includeFailed = false,
    cursor: start,
    leaseInSeconds,
    consumer,
    ...call
  } = options;
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
      const page = checkedPage(await transport.json(route, { query: { ...constant, cursor } }, call), seen);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async function* rows(): AsyncGenerator<PendingScore> {
    for await (const page of pages()) yield* page.scores;
  }

  return { pages, [Symbol.asyncIterator]: rows };
}
