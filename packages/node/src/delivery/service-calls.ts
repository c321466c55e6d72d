import type { ScoreResult } from "@afterword/protocol";
import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { type PendingScoresPage, wellFormed } from "../queue/pending-scores.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Effect, Event } from "./forwarder-state.ts";

/** Statuses that refuse the results of an acknowledgement themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);
const giveBackTimeoutInMs = 2000;

/** Calls of the service for the core, each of which ends in an event. */
export class ServiceCalls {
  readonly #settings: DeliverySettings;
  readonly #logged = new Set<string>();
  #pages: AsyncIterator<PendingScoresPage> | undefined;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
  }

  async poll({ walk, ...page }: Extract<Effect, { do: "poll" }>, signal: AbortSignal): Promise<Event> {
    const { clock } = this.#settings;
    const startedAt = clock.now();
    try {
      const { scores: listed, nextCursor, leaseInSeconds } = await this.#nextPage(page, signal);
      const tookInMs = clock.now() - startedAt;
      // The event loop gets its turn with each page, since a sink that answers without I/O would starve it.
      await clock.turn?.();
      const { scores, malformed } = wellFormed(listed);
      const isLeased = leaseInSeconds !== undefined;
      if (!isLeased)
        this.#logOnce(
          "the service offers no leases: a second forwarder of this queue would push each score twice",
        );
      const faults = [...new Set(malformed)].join(", ");
      if (faults !== "")
        this.#logOnce(
          `passed over ${malformed.length} malformed of the scores that the service lists: ${faults}`,
        );
      return { type: "page", walk, scores, hasMore: nextCursor !== undefined, tookInMs, isLeased };
    } catch (error) {
      return { type: "pageFailed", walk, error, isRefusedKey: isRefusedKey(error) };
    }
  }

  async acknowledge(results: readonly ScoreResult[], signal: AbortSignal): Promise<Event> {
    try {
      const summary = await this.#settings.queue.ack(results, { signal });
      return { type: "acknowledged", updated: summary?.updated };
    } catch (error) {
      const isRefused = ApiError.isInstance(error) && refusingStatuses.has(error.status);
      return { type: "ackFailed", error, isRefused, isRefusedKey: isRefusedKey(error) };
    }
  }

  /** Other forwarders need not wait for the lease to end; if this fails, it ends by itself. */
  async giveBack(signal: AbortSignal): Promise<Event> {
    const { lease, queue } = this.#settings;
    const call = { signal, maxRetries: 0, timeout: giveBackTimeoutInMs, limit: 1 };
    const pages = queue.pendingScores({ ...call, ...lease, leaseInSeconds: 0 }).pages();
    await Promise.resolve(pages[Symbol.asyncIterator]().next()).catch(() => undefined);
    return { type: "gaveBack" };
  }

  /** Lets go of the pages of the last walk. */
  rest(): void {
    void this.#pages?.return?.()?.catch(() => undefined);
    this.#pages = undefined;
  }

  async #nextPage(
    { isFirst, includeFailed }: { isFirst: boolean; includeFailed: boolean },
    signal: AbortSignal,
  ): Promise<PendingScoresPage> {
    const { lease, queue } = this.#settings;
    if (isFirst) this.rest();
    const options = { signal, includeFailed: includeFailed || undefined, ...lease };
    this.#pages ??= queue.pendingScores(options).pages()[Symbol.asyncIterator]();
    const { value } = await this.#pages.next();
    return (value as PendingScoresPage | undefined) ?? { scores: [] };
  }

  #logOnce(message: string): void {
    if (this.#logged.has(message)) return;
    this.#logged.add(message);
    this.#settings.logger.warn(message);
  }
}
