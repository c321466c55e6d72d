import type { PendingScore, PendingScoresReply } from "@afterword/protocol";
import { ConnectionError } from "./errors/connection-error.ts";
import type { CallOptions, Transport } from "./http/transport.ts";
import { checkedWholeNumber } from "./whole-number.ts";

/** Most rows of one page (contract section 4.5). Not taken from the protocol's table, whose schemas would come along. */
const largestPage = 100;

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

/** Another server's reply is checked before its rows are pushed: an id is what acknowledging and sinks live by. */
function checkedPage(reply: PendingScoresReply): PendingScoresPage {
  const rows: unknown = reply.scores;
  if (Array.isArray(rows) && rows.every((row) => typeof row?.id === "string" && row.id !== "")) return reply;
  throw new ConnectionError(
    "GET /v1/sdk/pending-scores was answered without `scores`, or with a row without an id",
  );
}

export function pendingScores(transport: Transport, options: PendingScoresOptions = {}): PendingScores {
  const { limit = largestPage, includeFailed = false, cursor: start, ...call } = options;
  checkedWholeNumber("limit", limit, 1, largestPage);

  async function* pages(): AsyncGenerator<PendingScoresPage> {
    let cursor = start;
    do {
      const query = { limit: String(limit), includeFailed: includeFailed ? "true" : undefined, cursor };
      const page = checkedPage(await transport.json("GET /v1/sdk/pending-scores", { query }, call));
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async function* rows(): AsyncGenerator<PendingScore> {
    for await (const page of pages()) yield* page.scores;
  }

  return { pages, [Symbol.asyncIterator]: rows };
}
