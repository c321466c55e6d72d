import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ApiError } from "../errors/api-error.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ScoreEntry } from "./score-book.ts";
import { ServiceRequest } from "./service-request.ts";
import { backoffs } from "../scores/failure.ts";

/** How many outcomes may wait for their confirmation before pushing pauses: after a crash they are pushed again. */
const capacity = 5000;

/** Statuses that refuse the results of an acknowledgement themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);

/** The scores whose outcomes are still to be acknowledged. */
export class Acknowledgements {
  readonly request: ServiceRequest;
  readonly #intervalInMs: number;
  #waiting: ScoreEntry[] = [];
  #sending: ScoreEntry[] = [];
  #firstAt = 0;
  /** Smaller than the service's limit while the score is searched because of which it refuses a batch. */
  #batchSize: number = limits.results;

  constructor({ ackIntervalInMs, random }: Pick<DeliverySettings, "ackIntervalInMs" | "random">) {
    this.#intervalInMs = ackIntervalInMs;
    this.request = new ServiceRequest("POST /v1/sdk/pending-scores/ack", backoffs.acknowledging, random);
  }

  /** How many are to be sent, or under way. */
  get unsent(): number {
    return this.#waiting.length + this.#sending.length;
  }

  get isFull(): boolean {
    return this.unsent >= capacity;
  }

  add(entry: ScoreEntry, now: number): void {
    if (this.#waiting.length === 0) this.#firstAt = now;
    this.#waiting.push(entry);
  }

  /** When the next batch is due; `Infinity` while one is under way and when there is none. */
  dueAt(isUrgent: boolean): number {
    if (this.request.isOpen || this.#waiting.length === 0) return Infinity;
    if (this.request.failure !== undefined) return this.request.failure.until;
    const isWhole = this.#waiting.length >= this.#batchSize;
    return isUrgent || isWhole ? 0 : this.#firstAt + this.#intervalInMs;
  }

  /** The results of the next batch, which is under way from now on. */
  send(now: number): ScoreResult[] {
    this.#sending = this.#waiting.splice(0, this.#batchSize);
    this.request.sent(now);
    return this.#sending.map(({ result }) => result!);
  }

  /** The service has answered the batch. Returns it. */
  confirmed(): ScoreEntry[] {
    this.request.succeeded();
    this.#batchSize = Math.min(limits.results, this.#batchSize * 2);
    return this.#sending.splice(0);
  }

  /**
   * The batch is sent again. If the service refuses it because of one of its scores, smaller batches find that, and no retry can
   * help it once it stands alone. Returns why the service refuses the batch.
   */
  failed(error: unknown, now: number): string | undefined {
    const batch = this.#sending.splice(0);
    this.request.failed(error, now);
    const { reason } = this.request.failure!;
    const isRefused = ApiError.isInstance(error) && refusingStatuses.has(error.status);
    if (isRefused) {
      this.#batchSize = Math.ceil(batch.length / 2);
      // The others of the batch need not wait for the one that is refused.
      this.request.failure = undefined;
      if (batch.length === 1) batch.pop()!.isAckRefused = true;
    }
    this.#waiting.unshift(...batch);
    return isRefused ? reason : undefined;
  }
}
