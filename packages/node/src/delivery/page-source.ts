import type { PendingScore } from "@afterword/protocol";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import type { Delivery } from "./delivery.ts";
import { isInPartition } from "./partition.ts";

/** A row of the queue on its way to the sink. */
export interface Row {
  score: PendingScore;
  /** When its page arrived, by the monotonic clock. */
  fetchedAt: number;
}

/** The next page is fetched once this many rows or fewer are left: one page is pushed while another loads. */
const prefetchUpTo = 100;

/**
 * How long a fetched row may be pushed, in milliseconds. After that, another forwarder may have delivered it or its
 * respondent may have been erased, so its page is dropped and the walk starts again. Erasures wait this long
 * (decision O63).
 */
export const freshForInMs = 60_000;

export const isFresh = ({ fetchedAt }: Row, now: number): boolean => now - fetchedAt <= freshForInMs;

/** Walks the queue once, prefetching the next page while the last one is pushed. */
export class PageSource {
  readonly #delivery: Delivery;
  readonly #halted: AbortSignal;
  readonly #onPage: () => void;
  #pages: AsyncIterator<PendingScoresPage>;
  #ready: Row[] = [];
  #underway: Promise<void> | undefined;
  #isFirst = true;
  #ended = false;
  #isCutShort = false;
  #failure: unknown;
  /** Rows that the walk has listed, and the milliseconds that this has taken. */
  listed = 0;
  pollingInMs = 0;

  constructor(delivery: Delivery, halted: AbortSignal, onPage: () => void) {
    this.#delivery = delivery;
    this.#halted = halted;
    this.#onPage = onPage;
    this.#pages = this.#begin();
  }

  /** Whether the walk has ended and every row was taken. */
  get isExhausted(): boolean {
    return this.#ended && this.#ready.length === 0;
  }

  /** Whether the walk reached the end of the queue. It stops early when too many rows are deferred. */
  get isComplete(): boolean {
    return this.isExhausted && !this.#isCutShort;
  }

  /** Takes up to `count` rows that have arrived and marks them as busy; none while a page is loading. */
  take(count: number): Row[] {
    this.#dropWhatIsStale();
    const { clock, memory } = this.#delivery;
    const now = clock.now();
    const taken: Row[] = [];
    while (taken.length < count && this.#ready.length > 0) {
      const row = this.#ready.shift()!;
      // Busy, or acknowledged while its page was loading.
      if (!memory.isFree(row.score.id, now)) continue;
      memory.hold(row.score.id);
      taken.push(row);
    }
    this.#fetchAhead();
    return taken;
  }

  /** Resolves when rows have arrived or the walk has ended. Rejects with what stopped the walk, once its rows are taken. */
  async more(): Promise<void> {
    await this.#fetch();
    if (this.#ready.length === 0 && this.#failure !== undefined) throw this.#failure;
    this.#fetchAhead();
    // Lets the prefetch start: a sink that answers at once would otherwise take the whole page first.
    await this.#delivery.clock.turn?.();
  }

  #fetchAhead(): void {
    if (this.#ready.length <= prefetchUpTo) void this.#fetch();
  }

  #fetch(): Promise<void> {
    if (this.#ended || this.#failure !== undefined) return Promise.resolve();
    this.#underway ??= this.#fetchPage().finally(() => (this.#underway = undefined));
    return this.#underway;
  }

  async #fetchPage(): Promise<void> {
    const { clock } = this.#delivery;
    const pages = this.#pages;
    const startedAt = clock.now();
    try {
      const next = await pages.next();
      this.pollingInMs += clock.now() - startedAt;
      if (pages !== this.#pages) return;
      if (next.done) this.#ended = true;
      else this.#accept(next.value);
    } catch (error) {
      // Kept for `more`, since nothing awaits a prefetch.
      if (pages === this.#pages) this.#failure = error;
    }
  }

  #accept(page: PendingScoresPage): void {
    const { backlog, clock, health, memory, partition } = this.#delivery;
    const fetchedAt = clock.now();
    const scores = partition ? page.scores.filter(({ id }) => isInPartition(id, partition)) : page.scores;
    this.listed += scores.length;
    if (this.#isFirst) health.progress.walkBegins();
    backlog.list(page, scores, this.#isFirst);
    this.#isFirst = false;
    this.#onPage();
    // The oldest rows come first: with as many rows deferred as allowed, later pages hold nothing that may be pushed.
    this.#isCutShort = memory.isFull && scores.length > 0 && !scores.some(({ id }) => memory.knows(id));
    if (this.#isCutShort) {
      this.#ended = true;
      void this.#pages.return?.();
    } else for (const score of scores) this.#ready.push({ score, fetchedAt });
  }

  #dropWhatIsStale(): void {
    const [oldest] = this.#ready;
    if (!oldest || isFresh(oldest, this.#delivery.clock.now())) return;
    this.#ready = [];
    this.#pages = this.#begin();
  }

  #begin(): AsyncIterator<PendingScoresPage> {
    const { memory, queue } = this.#delivery;
    this.#isFirst = true;
    this.#ended = false;
    this.#isCutShort = false;
    this.#failure = undefined;
    memory.beginWalk();
    // Only until the first walk is over.
    const includeFailed = memory.keepsSettled || undefined;
    return queue.pendingScores({ signal: this.#halted, includeFailed }).pages()[Symbol.asyncIterator]();
  }
}
