import type { PendingScore } from "@afterword/protocol";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreBook } from "./score-book.ts";
import { ServiceRequest } from "./service-request.ts";
import { backoffs } from "./trouble.ts";

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
}

/** Reading of the queue: walk after walk from its head, page by page. */
export class Walk {
  readonly #book: ScoreBook;
  readonly #pollIntervalInMs: number;
  readonly request: ServiceRequest;
  number = 0;
  /** Whether pages are still to be read. */
  isOn = false;
  isComplete = false;
  isFirstPage = true;
  /** Also lists what was acknowledged as failed, until one walk was complete. */
  includesFailed: boolean;
  /** When later scores than those listed were answered, at the earliest; `null` if there are none. */
  beyondAt: number | null | undefined;
  /** Of this walk: how many scores were listed, how many decided, and how long its pages took. */
  decided = 0;
  #listed = 0;
  #loadingInMs = 0;
  #endedAt = -Infinity;

  constructor(
    book: ScoreBook,
    {
      includeFailed,
      pollIntervalInMs,
      random,
    }: Pick<DeliverySettings, "pollIntervalInMs" | "random" | "includeFailed">,
  ) {
    this.#book = book;
    this.#pollIntervalInMs = pollIntervalInMs;
    this.request = new ServiceRequest("GET /v1/sdk/pending-scores", backoffs.polling, random);
    this.includesFailed = includeFailed;
    book.keepsSettled = includeFailed;
  }

  /** When the queue is to be read from its head again. */
  get dueAt(): number {
    if (this.request.trouble) return this.request.trouble.until;
    const isBusy = this.decided > 0 && this.decided * 2 >= this.#listed;
    // A long walk that found little is not repeated at once: at most half of the time goes into reading.
    const idleInMs = isBusy
      ? this.#pollIntervalInMs * busyShare
      : Math.max(this.#pollIntervalInMs, Math.min(this.#loadingInMs, longestIdleInMs));
    return this.#endedAt + idleInMs;
  }

  get isLoading(): boolean {
    return this.request.openSince !== undefined;
  }

  /** Whether a whole walk has listed nothing, so that this forwarder holds nothing. */
  get foundNone(): boolean {
    return this.isComplete && this.#listed === 0;
  }

  /** Whether the next page of this walk may be fetched. */
  get isPageDue(): boolean {
    return this.isOn && !this.isLoading && this.#book.listed <= prefetchUpTo;
  }

  /** Reads the queue from its head; what an earlier walk has asked for counts no more. */
  begin(): void {
    this.number += 1;
    this.isOn = true;
    this.isFirstPage = true;
    this.request.openSince = undefined;
    this.isComplete = false;
    this.decided = 0;
    this.#listed = 0;
    this.#loadingInMs = 0;
  }

  accept({ scores, hasMore }: ListedPage, now: number): void {
    this.#loadingInMs += now - (this.request.openSince ?? now);
    this.request.succeeded();
    this.isFirstPage = false;
    this.#listed += scores.length;
    const wasFull = this.#book.isFull;
    let known = 0;
    for (const score of scores) if (this.#book.list(score, this.number, now)) known += 1;
    const last = scores.at(-1);
    if (!hasMore) this.beyondAt = null;
    else if (last) this.beyondAt = Date.parse(last.at);
    // The oldest come first: with as many deferred as allowed, later pages hold nothing that may be pushed.
    const isCutShort = wasFull && scores.length > 0 && known === 0;
    if (!hasMore || isCutShort) this.#end(!isCutShort, now);
  }

  failed(reason: string, now: number): void {
    this.isOn = false;
    this.request.failed(reason, now);
  }

  /** What a whole walk did not list was delivered by another forwarder, is leased by one, or was erased. */
  #end(isComplete: boolean, now: number): void {
    this.isOn = false;
    this.isComplete = isComplete;
    this.#endedAt = now;
    for (const entry of this.#book.all) {
      if (entry.walk === this.number) continue;
      if (entry.state === "listed" || entry.state === "deferred") this.#book.forget(entry);
      if (entry.state === "doubtful" && entry.acknowledgedIn! < this.number) this.#book.settle(entry.id);
    }
    if (!isComplete) return;
    this.includesFailed = false;
    this.#book.keepsSettled = false;
  }
}
