import type { ScoreResult } from "@afterword/protocol";
import { type PendingScoresPage, wellFormed } from "../queue/pending-scores.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Effect, Event } from "./forwarder-state.ts";

// Calls of the service for the core, each of which ends in an event.

const giveBackTimeoutInMs = 2000;

export async function poll(
  { walk, cursor, includeFailed }: Extract<Effect, { do: "poll" }>,
  { clock, lease, queue, warnOnce }: DeliverySettings,
  signal: AbortSignal,
): Promise<Event> {
  try {
    const options = { signal, cursor, includeFailed: includeFailed || undefined, ...lease };
    const page = await firstPage(queue.pendingScores(options).pages());
    // The event loop gets its turn with each page, since a sink that answers without I/O would starve it.
    await clock.turn?.();
    const { scores, malformed } = wellFormed(page.scores);
    if (page.leaseInSeconds === undefined)
      warnOnce("the service offers no leases: a second forwarder of this queue would push each score twice");
    const faults = [...new Set(malformed)].join(", ");
    if (faults !== "")
      warnOnce(`passed over ${malformed.length} malformed of the scores that the service lists: ${faults}`);
    return { type: "page", walk, scores, nextCursor: page.nextCursor };
  } catch (error) {
    return { type: "pageFailed", walk, error };
  }
}

export async function acknowledge(
  results: readonly ScoreResult[],
  { queue }: DeliverySettings,
  signal: AbortSignal,
): Promise<Event> {
  try {
    const summary = await queue.ack(results, { signal });
    return { type: "acknowledged", updated: summary?.updated };
  } catch (error) {
    return { type: "ackFailed", error };
  }
}

/** Other forwarders need not wait for the lease to end; if this fails, it ends by itself. */
export async function giveBack({ lease, queue }: DeliverySettings, signal: AbortSignal): Promise<Event> {
  const call = { signal, maxRetries: 0, timeoutInMs: giveBackTimeoutInMs, limit: 1 };
  const pages = queue.pendingScores({ ...call, ...lease, leaseInSeconds: 0 }).pages();
  await firstPage(pages).catch(() => undefined);
  return { type: "gaveBack" };
}

async function firstPage(pages: AsyncIterable<PendingScoresPage>): Promise<PendingScoresPage> {
  for await (const page of pages) return page;
  return { scores: [] };
}
