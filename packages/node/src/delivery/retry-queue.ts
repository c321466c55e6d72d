import type { Row } from "./page-source.ts";

interface QueuedRow {
  row: Row;
  dueAt: number;
}

const none: Row[] = [];

/** So many rows are kept at most; the others come with a later walk. */
export const mostInRetryQueue = 1000;

/** Rows of the running pass that are soon tried again, so that they need not be fetched a second time. */
export class RetryQueue {
  /** By the time at which they are due. */
  readonly #rows: QueuedRow[] = [];

  get isFull(): boolean {
    return this.#rows.length >= mostInRetryQueue;
  }

  put(row: Row, dueAt: number): void {
    this.#rows.splice(this.#placeBehind(dueAt), 0, { row, dueAt });
  }

  /** Up to `count` rows whose time has come, longest overdue first. */
  takeDue(count: number, now: number): Row[] {
    if (this.#rows.length === 0) return none;
    return this.#rows.splice(0, Math.min(count, this.#placeBehind(now))).map(({ row }) => row);
  }

  /** When the next row is due, by the monotonic clock; `undefined` without rows. */
  get nextDueAt(): number | undefined {
    return this.#rows[0]?.dueAt;
  }

  /** Gives up what is left when the pass ends early. */
  clear(): Row[] {
    return this.#rows.splice(0).map(({ row }) => row);
  }

  /** The place behind all rows that are due at this time or before it. */
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
