import type { PendingScore } from "@afterword/protocol";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreBook } from "./score-book.ts";
import { backoffs, noRefusals, type Trouble, worse } from "./trouble.ts";

/** The next page is fetched once so many scores or fewer are left: one page is pushed while another loads. */
const prefetchUpTo = 100;
const longestIdleInMs = 60_000;
/** After a walk that found something, the next one comes after this share of the interval, which is that of an empty queue. */
const busyShare = 0.25;

/** A page as the core sees it. */
export interface ListedPage {
  /** The walk that asked for it. */
  walk: number;
  scores: readonly PendingScore[];
  hasMore: boolean;
  tookInMs: number;
}

/** Reading of the queue: walk after walk from its head, page by page. */
export class Walk {
  readonly #book: ScoreBook;
  readonly #acks: Acknowledgements;
  readonly #settings: Pick<DeliverySettings, "pollIntervalInMs" | "random">;
  number = 0;
  isOn = false;
  isComplete = false;
  /** Also lists what was acknowledged as failed, until one walk was complete. */
  includesFailed: boolean;
  loading: { since: number; isSlow: boolean } | undefined;
  trouble: Trouble | undefined;
  refusals = noRefusals;
  failures = 0;
  /** When later scores than those listed were answered, at the earliest; `null` if there are none. */
  beyondAt: number | null | undefined;
  /** Of this walk: how many scores were listed, how many decided, and how long its pages took. */
  decided = 0;
  #listed = 0;
  #loadingInMs = 0;
  #endedAt = -Infinity;
  #isFirst = true;

  constructor(
    book: ScoreBook,
    acks: Acknowledgements,
    settings: Pick<DeliverySettings, "pollIntervalInMs" | "random" | "includeFailed">,
  ) {
    this.#book = book;
    this.#acks = acks;
    this.#settings = settings;
    this.includesFailed = settings.includeFailed;
    book.keepsSettled = this.includesFailed;
  }

  /** When the queue is to be read from its head again. */
  get dueAt(): number {
    if (this.trouble) return this.trouble.until;
    const { pollIntervalInMs } = this.#settings;
    const isBusy = this.decided > 0 && this.decided * 2 >= this.#listed;
    // A long walk that found little is not repeated at once: at most half of the time goes into reading.
    const idleInMs = isBusy
      ? pollIntervalInMs * busyShare
      : Math.max(pollIntervalInMs, Math.min(this.#loadingInMs, longestIdleInMs));
    return Math.max(this.#endedAt + idleInMs, this.#acks.trouble?.until ?? 0);
  }

  /** Whether a whole walk has listed nothing, so that this forwarder holds nothing. */
  get foundNone(): boolean {
    return this.isComplete && this.#listed === 0;
  }

  /** Whether the next page of this walk may be fetched. */
  get isPageDue(): boolean {
    return this.isOn && this.loading === undefined && this.#book.listed <= prefetchUpTo;
  }

  /** Reads the queue from its head; what an earlier walk has asked for counts no more. */
  begin(): void {
    this.number += 1;
    this.isOn = true;
    this.#isFirst = true;
    this.loading = undefined;
    this.isComplete = false;
    this.decided = 0;
    this.#listed = 0;
    this.#loadingInMs = 0;
  }

  /** Returns whether this page is the walk's first. */
  load(now: number): boolean {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    this.loading = { since: now, isSlow: false };
    return isFirst;
  }

  accept({ scores, hasMore, tookInMs }: ListedPage, now: number): void {
    this.loading = undefined;
    this.trouble = undefined;
    this.refusals = noRefusals;
    this.#listed += scores.length;
    this.#loadingInMs += tookInMs;
    const wasFull = this.#book.isFull;
    let known = 0;
    for (const score of scores) {
      const entry = this.#book.get(score.id);
      const isDoubted = entry?.doubtedFrom !== undefined && entry.doubtedFrom <= this.number;
      if (entry?.state === "doubtful" && isDoubted && !this.includesFailed)
        this.#acks.stillListed(entry, now);
      known += Number(this.#book.list(score, this.number, now));
    }
    const last = scores.at(-1);
    if (!hasMore) this.beyondAt = null;
    else if (last) this.beyondAt = Date.parse(last.at);
    // The oldest come first: with as many deferred as allowed, later pages hold nothing that may be pushed.
    const isCutShort = wasFull && scores.length > 0 && known === 0;
    if (!hasMore || isCutShort) this.#end(!isCutShort, now);
  }

  failed(reason: string, now: number): void {
    if (this.loading?.isSlow) this.failures -= 1;
    this.isOn = false;
    this.loading = undefined;
    this.#failed(reason, now);
  }

  slow(reason: string, now: number): void {
    this.loading!.isSlow = true;
    this.#failed(reason, now);
  }

  #failed(reason: string, now: number): void {
    this.failures += 1;
    this.trouble = worse(this.trouble, backoffs.polling, { reason, now, random: this.#settings.random });
  }

  /** What a whole walk did not list was delivered by another forwarder, is leased by one, or was erased. */
  #end(isComplete: boolean, now: number): void {
    this.isOn = false;
    this.isComplete = isComplete;
    this.#endedAt = now;
    for (const entry of this.#book.all) {
      if (entry.walk === this.number) continue;
      if (entry.state === "listed" || entry.state === "deferred") this.#book.forget(entry.id);
      if (entry.state === "doubtful" && entry.doubtedFrom! <= this.number) this.#acks.isGone(entry);
    }
    if (!isComplete) return;
    this.includesFailed = false;
    this.#book.keepsSettled = false;
  }
}
