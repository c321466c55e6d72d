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

  async *#pages({ signal, includeFailed = false }: PendingScoresOptions): AsyncGenerator<PendingScoresPage> {
    const isWanted = ({ id }: PendingScore) => {
      const state = this.states.get(id);
      return state === "pending" || (includeFailed && state === "failed");
    };
    /** Where the next row of the queue stands, or where it ends. */
    const seek = (from: number) => {
      while (from < this.rows.length && !isWanted(this.rows[from]!)) from += 1;
      return from;
    };
    let next = 0;
    while (true) {
      this.polls += 1;
      await this.beforePage(this.polls);
      signal?.throwIfAborted();
      const scores: PendingScore[] = [];
      next = seek(next);
      while (scores.length < this.pageSize && next < this.rows.length) {
        scores.push(this.rows[next]!);
        next = seek(next + 1);
      }
      const hasMore = next < this.rows.length;
      yield { scores, ...(hasMore ? { nextCursor: String(next) } : {}) };
      if (!hasMore) return;
    }
  }
}
