import type { PendingScore, ScoreResult } from "@afterword/protocol";
import type { PendingScoresOptions, PendingScoresPage } from "../queue/pending-scores.ts";
import type { ScoreQueue } from "./forwarder-options.ts";

type RowState = "pending" | "delivered" | "failed";

/** A row of the queue; what a test is about is given. */
export const aRow = (number: number, parts: Partial<PendingScore> = {}): PendingScore => ({
  id: `row-${number}`,
  surveyId: "survey-1",
  at: "2026-11-21T08:59:00.000Z",
  sessionId: `session-${number}`,
  observationId: null,
  rating: 4,
  text: null,
  taskType: null,
  ...parts,
});

/** The service's queue in memory, with what a test wants to know and to break. */
export class TestQueue implements ScoreQueue {
  readonly rows: PendingScore[];
  readonly states = new Map<string, RowState>();
  /** What was acknowledged, call by call. */
  readonly acks: (readonly ScoreResult[])[] = [];
  polls = 0;
  pageSize = 100;
  /** Called before each page; throws to break the poll. */
  beforePage: (poll: number) => void | Promise<void> = () => undefined;
  /** Called before each acknowledgement takes effect; throws to lose the request. */
  beforeAck: (results: readonly ScoreResult[]) => void | Promise<void> = () => undefined;
  /** Called after it took effect; throws to lose the reply. */
  afterAck: (results: readonly ScoreResult[]) => void | Promise<void> = () => undefined;

  /** What consumers have leased, and until when by `now`. Without leases it is another server's queue. */
  readonly leases = new Map<string, { consumer: string; until: number }>();
  offersLeases = true;
  now = () => 0;

  /** Whether a row is listed at all; malformed rows have no state. */
  isListed: ((row: PendingScore) => boolean) | undefined;

  constructor(rows: number | PendingScore[]) {
    this.rows = typeof rows === "number" ? Array.from({ length: rows }, (_, index) => aRow(index + 1)) : rows;
    for (const { id } of this.rows) this.states.set(id, "pending");
  }

  add(row: PendingScore): void {
    this.rows.push(row);
    this.states.set(row.id, "pending");
  }

  /** How many rows are in this state. */
  count(state: RowState): number {
    return [...this.states.values()].filter((one) => one === state).length;
  }

  pendingScores(options: PendingScoresOptions = {}) {
    const pages = () => this.#pages(options);
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.scores;
      },
    };
  }

  async ack(results: readonly ScoreResult[]) {
    await this.beforeAck(results);
    this.acks.push(results);
    const changed = results.filter(({ id, state }) => {
      const before = this.states.get(id);
      const changes = before === "pending" || (before === "failed" && state === "delivered");
      if (changes) this.states.set(id, state);
      return changes;
    });
    await this.afterAck(results);
    return { updated: changed.length };
  }

  /** Whether this consumer may have the row; leases it. */
  #lease(id: string, { consumer = "", leaseInSeconds = 0 }: PendingScoresOptions): boolean {
    const held = this.leases.get(id);
    if (held && held.consumer !== consumer && held.until > this.now()) return false;
    this.leases.set(id, { consumer, until: this.now() + leaseInSeconds * 1000 });
    return true;
  }

  async *#pages(options: PendingScoresOptions): AsyncGenerator<PendingScoresPage> {
    const { signal, cursor = "0", includeFailed = false, leaseInSeconds, consumer } = options;
    const hasLease = this.offersLeases && leaseInSeconds !== undefined;
    if (hasLease && leaseInSeconds === 0) {
      for (const [id, held] of this.leases) if (held.consumer === consumer) this.leases.delete(id);
      return;
    }
    const isWanted = (row: PendingScore) => {
      if (this.isListed) return this.isListed(row);
      const state = this.states.get(row.id);
      return state === "pending" || (includeFailed && state === "failed");
    };
    /** Where the next row of the queue stands, or where it ends. */
    const seek = (from: number) => {
      while (from < this.rows.length && !isWanted(this.rows[from]!)) from += 1;
      return from;
    };
    let next = Number(cursor);
    while (true) {
      this.polls += 1;
      await this.beforePage(this.polls);
      signal?.throwIfAborted();
      const scores: PendingScore[] = [];
      next = seek(next);
      while (scores.length < this.pageSize && next < this.rows.length) {
        const row = this.rows[next]!;
        if (!hasLease || !row?.id || this.#lease(row.id, options)) scores.push(row);
        next = seek(next + 1);
      }
      const hasMore = next < this.rows.length;
      yield {
        scores,
        ...(hasMore ? { nextCursor: String(next) } : {}),
        ...(hasLease ? { leaseInSeconds } : {}),
      };
      if (!hasMore) return;
    }
  }
}
