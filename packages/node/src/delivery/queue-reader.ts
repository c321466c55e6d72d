import type { Leased } from "@afterword/protocol";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import { backoffs } from "../scores/failure.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import { ServiceRequest } from "./service-request.ts";

/** After a pass of which at least half of the scores were decided, the next one comes after this share of the poll interval. */
const busyShare = 0.25;

/** Reads the queue, pass after pass from its head, page by page. */
export class QueueReader extends ServiceRequest {
  readonly #pollIntervalInMs: number;
  /** The number of the pass over the queue. */
  pass = 0;
  /** Whether pages of the pass are still to be read. */
  isReading = false;
  /** Whether the last pass has read the queue to its end. */
  isComplete = false;
  /** Also lists what was acknowledged as failed, until one pass was complete. */
  includesFailed: boolean;
  /** When later scores than those listed were answered, at the earliest; `Infinity` if none are known. */
  beyondAt = Infinity;
  /** As the last page said. */
  leased: Leased = { count: 0, until: null };
  lastReadAt: number | undefined;
  /** Where the next page begins; `undefined` at the head of the queue. */
  #cursor: string | undefined;
  /** Of this pass: how many scores were listed, and how many decided. */
  #listed = 0;
  #decided = 0;
  #endedAt = -Infinity;

  constructor(settings: Pick<DeliverySettings, "includeFailed" | "pollIntervalInMs" | "random">) {
    super("GET /v1/sdk/pending-scores", backoffs.polling, settings.random);
    this.#pollIntervalInMs = settings.pollIntervalInMs;
    this.includesFailed = settings.includeFailed;
  }

  /** When the queue is to be read from its head again. */
  get nextPassAt(): number {
    if (this.failure) return this.failure.until;
    const isBusy = this.#decided > 0 && this.#decided * 2 >= this.#listed;
    return this.#endedAt + this.#pollIntervalInMs * (isBusy ? busyShare : 1);
  }

  /** Whether a score of this pass was decided. */
  get hasDecided(): boolean {
    return this.#decided > 0;
  }

  /** Whether a whole pass has listed nothing, so that this forwarder holds nothing. */
  get foundNone(): boolean {
    return this.isComplete && this.#listed === 0;
  }

  /** A run begins, for which earlier failures count no more. */
  beginRun(): void {
    this.forgetRefusals();
    this.failure = undefined;
    this.beginPass();
  }

  /** Reads the queue from its head; what an earlier pass has asked for counts no more. */
  beginPass(): void {
    this.pass += 1;
    this.isReading = true;
    this.isComplete = false;
    this.#cursor = undefined;
    this.abandon();
    this.#listed = 0;
    this.#decided = 0;
  }

  /** Asks for the next page, of a new pass if the last one is over. */
  ask(now: number) {
    if (!this.isReading) this.beginPass();
    this.sent(now);
    return { pass: this.pass, cursor: this.#cursor, includeFailed: this.includesFailed };
  }

  /** Whether the reply to this pass's request counts: the pass may have ended meanwhile, or another have begun. */
  expects(pass: number): boolean {
    if (pass === this.pass && !this.isReading) this.abandon();
    return pass === this.pass && this.isReading;
  }

  /** A page has arrived. Without a next one, or with nothing that could be taken from it, the pass is over. */
  accept({ scores, nextCursor, leased }: PendingScoresPage, taken: number, now: number): void {
    this.succeeded();
    this.lastReadAt = now;
    this.#cursor = nextCursor;
    this.#listed += scores.length;
    this.leased = leased ?? { count: 0, until: null };
    const last = scores.at(-1);
    if (nextCursor === undefined) this.beyondAt = Infinity;
    else if (last) this.beyondAt = Date.parse(last.at);
    // The oldest come first: with as many deferred as allowed, later pages hold nothing that may be pushed.
    const isCutShort = scores.length > 0 && taken === 0;
    if (nextCursor !== undefined && !isCutShort) return;
    this.isReading = false;
    this.isComplete = !isCutShort;
    this.#endedAt = now;
    if (this.isComplete) this.includesFailed = false;
  }

  /** A score that the pass has listed was decided. */
  countDecided(): void {
    this.#decided += 1;
  }

  override failed(error: unknown, now: number): void {
    this.stop();
    super.failed(error, now);
  }

  /** Asks for no more pages of this pass. */
  stop(): void {
    this.isReading = false;
  }
}
