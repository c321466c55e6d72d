import type { PendingScore } from "@afterword/protocol";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import type { Backlog } from "./backlog.ts";
import type { Clock } from "../options/clock.ts";
import { isInPartition, type Partition } from "./partition.ts";
import type { RowMemory } from "./row-memory.ts";

/** A row of the queue on its way to the sink. */
export interface Row {
  score: PendingScore;
  /** When its page arrived, by the monotonic clock. */
  fetchedAt: number;
}

export interface PageSourceOptions {
  /** Begins a walk over the queue at its head. */
  walk: () => AsyncIterable<PendingScoresPage>;
  memory: RowMemory;
  backlog: Backlog;
  clock: Clock;
  partition?: Partition;
  /** Called when a page has arrived. */
  onPage: () => void;
}

/** The next page is fetched while no more rows than these are at hand: one page is pushed, one is on its way. */
const prefetchUpTo = 100;

/**
 * Milliseconds for which a fetched row may be pushed. Behind that, another forwarder may have delivered it or its
 * respondent may have been erased, so its page is dropped and the walk begins anew. An erasure waits for it
 * (decision O63).
 */
export const freshForInMs = 60_000;

/** Whether a row may still be pushed. */
export const isFresh = ({ fetchedAt }: Row, now: number): boolean => now - fetchedAt <= freshForInMs;

/** Walks over the queue once and fetches the next page while the last one is being pushed. */
export class PageSource {
  readonly #options: PageSourceOptions;
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

  constructor(options: PageSourceOptions) {
    this.#options = options;
    this.#pages = this.#begin();
  }

  /** Whether the walk has come to its end and every row was taken. */
  get isExhausted(): boolean {
    return this.#ended && this.#ready.length === 0;
  }

  /** Whether that end is the queue's: behind a memory that is full there are rows that were not looked at. */
  get isComplete(): boolean {
    return this.isExhausted && !this.#isCutShort;
  }

  /** Up to `count` rows that are at hand, marked as under way; none while a page is on its way. */
  take(count: number): Row[] {
    this.#dropWhatIsStale();
    const now = this.#options.clock.now();
    const first = this.#takeFirst(now);
    const taken = first ? [first] : [];
    for (let next = first; next && taken.length < count;) {
      next = this.#takeFirst(now);
      if (next) taken.push(next);
    }
    this.#fetchAhead();
    return taken;
  }

  /** Passes over rows that a page lists although they are under way, or were acknowledged while it was on its way. */
  #takeFirst(now: number): Row | undefined {
    const { memory } = this.#options;
    for (let row = this.#ready.shift(); row; row = this.#ready.shift()) {
      if (!memory.isFree(row.score.id, now)) continue;
      memory.hold(row.score.id);
      return row;
    }
    return undefined;
  }

  /** Resolves when rows have arrived or the end is reached. Throws what stopped the walk, once its rows are taken. */
  async more(): Promise<void> {
    await this.#fetch();
    if (this.#ready.length === 0 && this.#failure !== undefined) throw this.#failure;
    this.#fetchAhead();
    // A sink that answers at once would be given the whole page before the next one is even asked for.
    await this.#options.clock.turn?.();
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
    const { clock } = this.#options;
    const pages = this.#pages;
    const startedAt = clock.now();
    try {
      const next = await pages.next();
      this.pollingInMs += clock.now() - startedAt;
      if (pages !== this.#pages) return;
      if (next.done) this.#ended = true;
      else this.#accept(next.value);
    } catch (error) {
      // Kept for `more`: a fetch ahead of time has nobody who waits for it.
      if (pages === this.#pages) this.#failure = error;
    }
  }

  #accept(page: PendingScoresPage): void {
    const { backlog, clock, memory, partition, onPage } = this.#options;
    const fetchedAt = clock.now();
    const scores = partition ? page.scores.filter(({ id }) => isInPartition(id, partition)) : page.scores;
    this.listed += scores.length;
    backlog.list(page, scores, this.#isFirst);
    this.#isFirst = false;
    onPage();
    // The oldest rows come first, so what is put off lies behind: to read on would be of no use.
    this.#isCutShort = memory.isFull && scores.length > 0 && !scores.some(({ id }) => memory.knows(id));
    if (this.#isCutShort) {
      this.#ended = true;
      void this.#pages.return?.();
    } else for (const score of scores) this.#ready.push({ score, fetchedAt });
  }

  #dropWhatIsStale(): void {
    const [oldest] = this.#ready;
    if (!oldest || isFresh(oldest, this.#options.clock.now())) return;
    this.#ready = [];
    this.#pages = this.#begin();
  }

  #begin(): AsyncIterator<PendingScoresPage> {
    const { memory, walk } = this.#options;
    this.#isFirst = true;
    this.#ended = false;
    this.#isCutShort = false;
    this.#failure = undefined;
    memory.beginWalk();
    return walk()[Symbol.asyncIterator]();
  }
}
