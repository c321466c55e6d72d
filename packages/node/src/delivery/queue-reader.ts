import type { Leased } from "@afterword/protocol";
import type { DeliverySettings } from "./forwarder-options.ts";
import { ServiceRequest } from "./service-request.ts";
import { backoffs } from "../scores/failure.ts";

/** After a pass of which at least half of the scores were decided, the next one comes after this share of the poll interval. */
const busyShare = 0.25;

export const noneLeased: Leased = { count: 0, until: null };

/** Reading of the queue: pass after pass from its head, page by page. */
export class QueueReader {
  readonly #pollIntervalInMs: number;
  readonly request: ServiceRequest;
  /** The number of the pass over the queue. */
  pass = 0;
  /** Whether pages are still to be read. */
  isOn = false;
  isComplete = false;
  /** Where the next page begins; `undefined` at the head of the queue. */
  cursor: string | undefined;
  /** Also lists what was acknowledged as failed, until one pass was complete. */
  includesFailed: boolean;
  /** When later scores than those listed were answered, at the earliest; `Infinity` if none are known. */
  beyondAt = Infinity;
  /** What other consumers hold, as the last page said. */
  leased: Leased = noneLeased;
  /** Of this pass: how many scores were listed, and how many decided. */
  listed = 0;
  decided = 0;
  #endedAt = -Infinity;

  constructor({ includeFailed, pollIntervalInMs, random }: DeliverySettings) {
    this.#pollIntervalInMs = pollIntervalInMs;
    this.request = new ServiceRequest("GET /v1/sdk/pending-scores", backoffs.polling, random);
    this.includesFailed = includeFailed;
  }

  /** When the queue is to be read from its head again. */
  get dueAt(): number {
    if (this.request.failure) return this.request.failure.until;
    const isBusy = this.decided > 0 && this.decided * 2 >= this.listed;
    return this.#endedAt + this.#pollIntervalInMs * (isBusy ? busyShare : 1);
  }

  /** Whether a whole pass has listed nothing, so that this forwarder holds nothing. */
  get foundNone(): boolean {
    return this.isComplete && this.listed === 0;
  }

  /** Reads the queue from its head; what an earlier pass has asked for counts no more. */
  begin(): void {
    this.pass += 1;
    this.isOn = true;
    this.isComplete = false;
    this.cursor = undefined;
    this.request.openSince = undefined;
    this.listed = 0;
    this.decided = 0;
  }

  end(isComplete: boolean, now: number): void {
    this.isOn = false;
    this.isComplete = isComplete;
    this.#endedAt = now;
    if (isComplete) this.includesFailed = false;
  }
}
