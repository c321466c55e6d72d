import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import type { ScoreBook, ScoreEntry } from "./score-book.ts";
import { backoffs, noRefusals, type Trouble, worse } from "./trouble.ts";

/** How many results may wait for their confirmation before pushing pauses: after a crash they are pushed again. */
const capacity = 5000;

/** The outcomes that the service has not confirmed. */
export class Acknowledgements {
  readonly #book: ScoreBook;
  readonly #intervalInMs: number;
  readonly #random: () => number;
  #waiting: ScoreResult[] = [];
  /** Parts of a batch that was refused because of one of its results. */
  #parts: ScoreResult[][] = [];
  /** Results that an acknowledgement may not have changed, by id; a later walk shows. */
  readonly #doubtful = new Map<string, ScoreEntry>();
  #firstAt = 0;
  sending: { results: ScoreResult[]; since: number; isSlow: boolean } | undefined;
  trouble: Trouble | undefined;
  refusals = noRefusals;
  failures = 0;

  constructor(book: ScoreBook, intervalInMs: number, random: () => number) {
    this.#book = book;
    this.#intervalInMs = intervalInMs;
    this.#random = random;
  }

  /** How many are to be sent, or under way. */
  get unsent(): number {
    const parts = this.#parts.reduce((sum, part) => sum + part.length, 0);
    return this.#waiting.length + parts + (this.sending?.results.length ?? 0);
  }

  get size(): number {
    return this.unsent + this.#doubtful.size;
  }

  get isFull(): boolean {
    return this.unsent >= capacity;
  }

  add(result: ScoreResult, now: number): void {
    if (this.#waiting.length === 0) this.#firstAt = now;
    this.#waiting.push(result);
  }

  /** When the next batch is due; `undefined` while one is under way and when there is none. */
  dueAt(isUrgent: boolean): number | undefined {
    if (this.sending !== undefined || this.unsent === 0) return undefined;
    if (this.trouble !== undefined) return this.trouble.until;
    const isWhole = this.#parts.length > 0 || this.#waiting.length >= limits.results;
    return isUrgent || isWhole ? 0 : this.#firstAt + this.#intervalInMs;
  }

  /** The next batch, from now on under way. */
  next(now: number): ScoreResult[] {
    const results = this.#parts.shift() ?? this.#waiting.splice(0, limits.results);
    this.sending = { results, since: now, isSlow: false };
    return results;
  }

  /**
   * The service has accepted the batch and changed so many of its scores. `walk` is the last one so far; without it no
   * walk can show more.
   */
  confirmed(updated: unknown, walk: number | undefined): void {
    const { results = [] } = this.sending ?? {};
    this.sending = undefined;
    this.trouble = undefined;
    this.refusals = noRefusals;
    const isWhole = typeof updated !== "number" || updated >= results.length;
    for (const { id } of results) {
      const entry = this.#book.get(id);
      const isDoubtful = !isWhole && walk !== undefined && this.#doubtful.size < capacity;
      if (isDoubtful && entry) this.#doubt(entry, walk);
      else this.#book.settle(id);
    }
  }

  /** Another forwarder may have acknowledged it, or nothing may have happened: if a later walk lists it, nothing has. */
  #doubt(entry: ScoreEntry, walk: number): void {
    entry.state = "doubtful";
    entry.doubtedFrom = walk + 1;
    this.#doubtful.set(entry.id, entry);
  }

  /** The service still lists it. */
  stillListed(entry: ScoreEntry, now: number): void {
    this.#doubtful.delete(entry.id);
    entry.state = "decided";
    this.#waiting.push(entry.result!);
    const reason = "POST /v1/sdk/pending-scores/ack confirmed scores that are still listed";
    if (this.trouble?.reason !== reason) this.#failed(reason, now);
  }

  /** The service lists it no more. */
  isGone(entry: ScoreEntry): void {
    this.#doubtful.delete(entry.id);
    this.#book.settle(entry.id);
  }

  /** The batch was not accepted. With `isRefused`, because of one of its results: it is divided until that stands alone. */
  failed(reason: string, isRefused: boolean, now: number): void {
    const { results = [], isSlow } = this.sending ?? {};
    this.sending = undefined;
    const middle = Math.ceil(results.length / 2);
    if (!isRefused) this.#parts.unshift(results);
    else if (results.length > 1) this.#parts.unshift(results.slice(0, middle), results.slice(middle));
    else for (const { id } of results) this.#book.settle(id);
    if (isRefused && results.length > 1) return;
    if (isSlow) this.failures -= 1;
    this.#failed(reason, now);
    // The others of the batch need not wait for the one that is refused.
    if (isRefused) this.trouble = undefined;
  }

  /** It is under way for longer than it should be. */
  slow(reason: string, now: number): void {
    this.sending!.isSlow = true;
    this.#failed(reason, now);
  }

  #failed(reason: string, now: number): void {
    this.failures += 1;
    this.trouble = worse(this.trouble, backoffs.acknowledging, { reason, now, random: this.#random });
  }
}
