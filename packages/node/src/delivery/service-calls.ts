import type { ScoreResult } from "@afterword/protocol";
import { type PendingScoresPage, wellFormed } from "../queue/pending-scores.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Effect, Event } from "./forwarder-state.ts";

const giveBackTimeoutInMs = 2000;

/** Calls of the service for the core, each of which ends in an event. */
export class ServiceCalls {
  readonly #settings: DeliverySettings;
  readonly #logged = new Set<string>();
  #pages: AsyncIterator<PendingScoresPage> | undefined;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
  }

  async poll(
    { walk, isFirst, includeFailed }: Extract<Effect, { do: "poll" }>,
    signal: AbortSignal,
  ): Promise<Event> {
    const { clock, lease, queue } = this.#settings;
    if (isFirst) this.closePages();
    try {
      const options = { signal, includeFailed: includeFailed || undefined, ...lease };
      this.#pages ??= queue.pendingScores(options).pages()[Symbol.asyncIterator]();
      const { value } = await this.#pages.next();
      const page = (value as PendingScoresPage | undefined) ?? { scores: [] };
      // The event loop gets its turn with each page, since a sink that answers without I/O would starve it.
      await clock.turn?.();
      const { scores, malformed } = wellFormed(page.scores);
      const isLeased = page.leaseInSeconds !== undefined;
      this.#warn(isLeased, malformed);
      return { type: "page", walk, scores, hasMore: page.nextCursor !== undefined, isLeased };
    } catch (error) {
      return { type: "pageFailed", walk, error };
    }
  }

  async acknowledge(results: readonly ScoreResult[], signal: AbortSignal): Promise<Event> {
    try {
      const summary = await this.#settings.queue.ack(results, { signal });
      return { type: "acknowledged", updated: summary?.updated };
    } catch (error) {
      return { type: "ackFailed", error };
    }
  }

  /** Other forwarders need not wait for the lease to end; if this fails, it ends by itself. */
  async giveBack(signal: AbortSignal): Promise<Event> {
    const { lease, queue } = this.#settings;
    const call = { signal, maxRetries: 0, timeoutInMs: giveBackTimeoutInMs, limit: 1 };
    const pages = queue.pendingScores({ ...call, ...lease, leaseInSeconds: 0 }).pages();
    await Promise.resolve(pages[Symbol.asyncIterator]().next()).catch(() => undefined);
    return { type: "gaveBack" };
  }

  /** Lets go of the pages of the last walk. */
  closePages(): void {
    void this.#pages?.return?.()?.catch(() => undefined);
    this.#pages = undefined;
  }

  #warn(isLeased: boolean, malformed: readonly string[]): void {
    if (!isLeased)
      this.#warnOnce(
        "the service offers no leases: a second forwarder of this queue would push each score twice",
      );
    if (malformed.length === 0) return;
    const faults = [...new Set(malformed)].join(", ");
    this.#warnOnce(
      `passed over ${malformed.length} malformed of the scores that the service lists: ${faults}`,
    );
  }

  #warnOnce(message: string): void {
    if (this.#logged.has(message)) return;
    this.#logged.add(message);
    this.#settings.logger.warn(message);
  }
}
