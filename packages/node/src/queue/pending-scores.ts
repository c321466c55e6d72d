import type { PendingScore, PendingScoresReply } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
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
}

/** One page of the queue, oldest row first. */
export interface PendingScoresPage {
  scores: PendingScore[];
  /** Absent on the last page. */
  nextCursor?: string;
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
  const { scores, nextCursor }: { scores: unknown; nextCursor?: unknown } = reply;
  if (!Array.isArray(scores) || !scores.every((row) => typeof row?.id === "string" && row.id !== "")) {
    throw new ConnectionError(`${route} was answered without valid \`scores\``);
  }
  if (nextCursor === undefined || nextCursor === null || nextCursor === "") return { scores };
  if (typeof nextCursor !== "string" || seen.has(nextCursor)) {
    throw new ConnectionError(
      `${route} was answered with a \`nextCursor\` that is not a string, or was used before`,
    );
  }
  seen.add(nextCursor);
  return { scores, nextCursor };
}

export function pendingScores(transport: Transport, options: PendingScoresOptions = {}): PendingScores {
  const { limit = limits.pageSize, includeFailed = false, cursor: start, ...call } = options;
  checkedWholeNumber("limit", limit, 1, limits.pageSize);

  async function* pages(): AsyncGenerator<PendingScoresPage> {
    let cursor = start;
    const seen = new Set<unknown>([start]);
    do {
      const query = { limit: String(limit), includeFailed: includeFailed ? "true" : undefined, cursor };
      const page = checkedPage(await transport.json(route, { query }, call), seen);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async function* rows(): AsyncGenerator<PendingScore> {
    for await (const page of pages()) yield* page.scores;
  }

  return { pages, [Symbol.asyncIterator]: rows };
}
