import type { PendingScore } from "@afterword/protocol";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import type { RowMemory } from "./row-memory.ts";

const answeredAt = ({ at }: PendingScore) => Date.parse(at);

/** Unsettled rows of this forwarder's share, as far as the queue was read: the lag is computed from them. */
export class Backlog {
  readonly #memory: RowMemory;
  /** When each was answered, by id; in the order of the queue, oldest first. */
  readonly #waiting = new Map<string, number>();
  /** The earliest time at which later rows were answered; `null` if there are none. */
  #beyondAt: number | null | undefined;

  constructor(memory: RowMemory) {
    this.#memory = memory;
  }

  /** Notes a page of a walk and which of its rows are this forwarder's; the first one is the head of the queue. */
  list(page: PendingScoresPage, own: readonly PendingScore[], isFirst: boolean): void {
    // Rows that are no longer listed were delivered by another forwarder, or erased.
    if (isFirst) this.#waiting.clear();
    for (const score of own) {
      if (!this.#memory.isSettled(score.id)) this.#waiting.set(score.id, answeredAt(score));
    }
    const last = page.scores.at(-1);
    if (page.nextCursor === undefined) this.#beyondAt = null;
    else if (last) this.#beyondAt = answeredAt(last);
  }

  settle(id: string): void {
    this.#waiting.delete(id);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** How many of them count. Default: all. */
  count(counts?: (id: string) => boolean): number {
    if (counts === undefined) return this.size;
    let count = 0;
    for (const id of this.#waiting.keys()) if (counts(id)) count += 1;
    return count;
  }

  /**
   * When the oldest counted row was answered, in milliseconds since 1970; `null` if none waits, `undefined` before the
   * first page. Default: all rows count.
   */
  oldestAt(counts?: (id: string) => boolean): number | null | undefined {
    for (const [id, at] of this.#waiting) if (counts?.(id) ?? true) return at;
    return this.#beyondAt;
  }
}
