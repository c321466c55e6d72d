/** A single refusal may come from a firewall or a proxy and says nothing about other requests. */
const refusalsInARow = 5;
const spreadOverInMs = 60_000;
/** After this many in a row, rows that were not refused yet are tried one at a time, after growing pauses. */
const refusalsBeforeProbing = 3;

/**
 * Distinguishes a refused key from a single refused request (decision O62). Only refusals of different rows in a row
 * count, and the last must come a minute after the first.
 */
export class RefusalStreak {
  #count = 0;
  #startedAt = 0;
  /** The reason of the last refusal; `undefined` once something was accepted. */
  lastReason: string | undefined;

  /** Records the refusal of a row that was not refused before. Returns whether everything is refused. */
  refused(reason: string, now: number): boolean {
    this.lastReason = reason;
    if (this.#count === 0) this.#startedAt = now;
    this.#count += 1;
    return this.#count >= refusalsInARow && now - this.#startedAt >= spreadOverInMs;
  }

  accepted(): void {
    this.#count = 0;
    this.lastReason = undefined;
  }

  get isProbing(): boolean {
    return this.#count >= refusalsBeforeProbing;
  }
}
