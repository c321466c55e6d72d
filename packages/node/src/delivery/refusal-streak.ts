/** One answer in the name of the service, of a firewall or a proxy before it, says nothing about all the others. */
const refusalsInARow = 5;
const spreadOverInMs = 60_000;
/** From so many in a row on, what was not refused yet is tried one at a time, after growing pauses. */
const refusalsBeforeProbing = 3;

/**
 * Tells a key or an address that is refused from a single answer that is (decision O62): only refusals of different rows
 * count, without one that was accepted between them, and the last must come a minute after the first.
 */
export class RefusalStreak {
  #count = 0;
  #startedAt = 0;
  /** Of the last refusal; nothing when something was accepted since. */
  lastReason: string | undefined;

  /** Notes a refusal of something that was not refused before. Whether everything is refused. */
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

  /** Whether the next ones are probes. */
  get isProbing(): boolean {
    return this.#count >= refusalsBeforeProbing;
  }
}
