import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ServiceRequest } from "./service-request.ts";
import { backoffs } from "./trouble.ts";

/** How many results may wait for their confirmation before pushing pauses: after a crash they are pushed again. */
const capacity = 5000;

/** The outcomes that are still to be acknowledged. */
export class Acknowledgements {
  readonly request: ServiceRequest;
  readonly #intervalInMs: number;
  #waiting: ScoreResult[] = [];
  #sending: ScoreResult[] = [];
  #firstAt = 0;
  /** Smaller than the service's limit while the result is searched because of which it refuses a batch. */
  #batchSize: number = limits.results;

  constructor(intervalInMs: number, random: () => number) {
    this.#intervalInMs = intervalInMs;
    this.request = new ServiceRequest("POST /v1/sdk/pending-scores/ack", backoffs.acknowledging, random);
  }

  /** How many are to be sent, or under way. */
  get unsent(): number {
    return this.#waiting.length + this.#sending.length;
  }

  get isFull(): boolean {
    return this.unsent >= capacity;
  }

  add(result: ScoreResult, now: number): void {
    if (this.#waiting.length === 0) this.#firstAt = now;
    this.#waiting.push(result);
  }

  /** When the next batch is due; `Infinity` while one is under way and when there is none. */
  dueAt(isUrgent: boolean): number {
    if (this.request.openSince !== undefined || this.#waiting.length === 0) return Infinity;
    if (this.request.trouble !== undefined) return this.request.trouble.until;
    const isWhole = this.#waiting.length >= this.#batchSize;
    return isUrgent || isWhole ? 0 : this.#firstAt + this.#intervalInMs;
  }

  /** The next batch, from now on under way. */
  send(now: number): ScoreResult[] {
    this.#sending = this.#waiting.splice(0, this.#batchSize);
    this.request.openSince = now;
    return this.#sending;
  }

  /** The service has answered the batch. Returns it. */
  confirmed(): ScoreResult[] {
    this.request.succeeded();
    this.#batchSize = Math.min(limits.results, this.#batchSize * 2);
    return this.#takeSending();
  }

  failed(reason: string, now: number): void {
    this.#waiting.unshift(...this.#takeSending());
    this.request.failed(reason, now);
  }

  /**
   * The service refuses the batch because of one of its results, which smaller batches find. Returns that result once it
   * stands alone: no retry can help it.
   */
  refused(reason: string, now: number): ScoreResult | undefined {
    const results = this.#takeSending();
    this.#batchSize = Math.ceil(results.length / 2);
    if (results.length === 1) this.request.failed(reason, now);
    else this.#waiting.unshift(...results);
    // The others of the batch need not wait for the one that is refused.
    this.request.openSince = undefined;
    this.request.trouble = undefined;
    return results.length === 1 ? results[0] : undefined;
  }

  #takeSending(): ScoreResult[] {
    const results = this.#sending;
    this.#sending = [];
    return results;
  }
}
