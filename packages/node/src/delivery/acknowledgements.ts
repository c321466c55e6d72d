import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ApiError } from "../errors/api-error.ts";
import { backoffs } from "../scores/failure.ts";
import type { Agenda } from "./agenda.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import { ServiceRequest } from "./service-request.ts";

/** How many outcomes may wait for their confirmation before pushing pauses: after a crash they are pushed again. */
const capacity = 5000;

/** Statuses that refuse the results of an acknowledgement themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);

/** The outcomes that are still to be acknowledged, and the request that does. */
export class Acknowledgements extends ServiceRequest {
  readonly #intervalInMs: number;
  /** The oldest first, each since when it waits. */
  readonly #waiting: { result: ScoreResult; since: number }[] = [];
  /** How many of them the last request has. */
  #sent = 0;
  /** Smaller than the service's limit while the score is searched because of which it refuses a batch. */
  #batchSize: number = limits.results;

  constructor({ ackIntervalInMs, random }: Pick<DeliverySettings, "ackIntervalInMs" | "random">) {
    super("POST /v1/sdk/pending-scores/ack", backoffs.acknowledging, random);
    this.#intervalInMs = ackIntervalInMs;
  }

  /** How many are to be sent, or under way. */
  get unsent(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.unsent >= capacity;
  }

  add(result: ScoreResult, now: number): void {
    this.#waiting.push({ result, since: now });
  }

  /** Sends the next batch if it is due: after the interval, or at once if it is whole or urgent. */
  sendDue(agenda: Agenda, isUrgent: boolean): void {
    const [first] = this.#waiting;
    if (this.isOpen || !first) return;
    const isWhole = this.unsent >= this.#batchSize;
    const ownAt = isUrgent || isWhole ? 0 : first.since + this.#intervalInMs;
    if (!agenda.isDue(this.failure?.until ?? ownAt)) return;
    const results = this.#waiting.slice(0, this.#batchSize).map(({ result }) => result);
    this.#sent = results.length;
    this.sent(agenda.now);
    agenda.effects.push({ do: "acknowledge", results });
  }

  /** The service has answered the batch. Returns the ids of its scores. */
  confirmed(): string[] {
    this.succeeded();
    this.#batchSize = Math.min(limits.results, this.#batchSize * 2);
    return this.#waiting.splice(0, this.#sent).map(({ result }) => result.id);
  }

  /**
   * The batch is sent again. If the service refuses it because of one of its scores, smaller batches find that, and no retry can
   * help it once it stands alone. Returns why the service refuses the batch, and the id of that score.
   */
  override failed(error: unknown, now: number): { reason: string; id: string | undefined } | undefined {
    super.failed(error, now);
    const { reason } = this.failure!;
    if (!ApiError.isInstance(error) || !refusingStatuses.has(error.status)) return undefined;
    this.#batchSize = Math.ceil(this.#sent / 2);
    // The others of the batch need not wait for the one that is refused.
    this.failure = undefined;
    return { reason, id: this.#sent === 1 ? this.#waiting.shift()!.result.id : undefined };
  }
}
