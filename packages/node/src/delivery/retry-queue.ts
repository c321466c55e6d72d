import type { Row } from "./page-source.ts";

interface QueuedRow {
  row: Row;
  dueAt: number;
}

const none: Row[] = [];

/** Most rows kept; further rows are left to a later walk. */
export const mostInRetryQueue = 1000;

/** Rows of the running pass that are due for a retry soon, so that they need not be fetched again. */
export class RetryQueue {
  /** Ordered by due time. */
  readonly #rows: QueuedRow[] = [];

  get isFull(): boolean {
    return this.#rows.length >= mostInRetryQueue;
  }

  put(row: Row, dueAt: number): void {
    this.#rows.splice(this.#placeBehind(dueAt), 0, { row, dueAt });
  }

  /** Takes up to `count` rows that are due, longest overdue first. */
  takeDue(count: number, now: number): Row[] {
    if (this.#rows.length === 0) return none;
    return this.#rows.splice(0, Math.min(count, this.#placeBehind(now))).map(({ row }) => row);
  }

  /** When the next row is due, by the monotonic clock; `undefined` without rows. */
  get nextDueAt(): number | undefined {
    return this.#rows[0]?.dueAt;
  }

  clear(): Row[] {
    return this.#rows.splice(0).map(({ row }) => row);
  }

  /** The index after all rows that are due at or before this time (binary search). */
  #placeBehind(time: number): number {
    let [from, to] = [0, this.#rows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#rows[middle]!.dueAt <= time) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
