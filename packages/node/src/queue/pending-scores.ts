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
  /** Go on behind the page whose `nextCursor` this is. */
  cursor?: string;
}

/** One page of the queue, oldest row first. */
export interface PendingScoresPage {
  scores: PendingScore[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** The queue as rows; `pages()` gives it as pages. Each iteration starts anew. */
export interface PendingScores extends AsyncIterable<PendingScore> {
  pages(): AsyncIterable<PendingScoresPage>;
}

const route = "GET /v1/sdk/pending-scores";

/**
 * Another server's reply is checked before its rows are pushed: acknowledgements and sinks depend on the ids, and a cursor
 * that was given before would lead in a circle. `null` and an empty cursor end the pages as a missing one does.
 */
function checkedPage(reply: PendingScoresReply, seen: Set<unknown>): PendingScoresPage {
  const { scores, nextCursor }: { scores: unknown; nextCursor?: unknown } = reply;
  if (!Array.isArray(scores) || !scores.every((row) => typeof row?.id === "string" && row.id !== "")) {
    throw new ConnectionError(`${route} was answered without \`scores\`, or with a row without an id`);
  }
  if (nextCursor === undefined || nextCursor === null || nextCursor === "") return { scores };
  if (typeof nextCursor !== "string" || seen.has(nextCursor)) {
    throw new ConnectionError(
      `${route} was answered with a \`nextCursor\` that is not a string, or that was followed before`,
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
