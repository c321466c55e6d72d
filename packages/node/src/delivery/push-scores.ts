import type { PendingScore } from "@afterword/protocol";
import { whenAborted } from "../options/clock.ts";
import { safeDeliver } from "../scores/safe-sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Pushed } from "./forwarder-state.ts";

/**
 * Prepares scores and delivers them by one call of the sink. Never rejects, and waits for no redactor and no sink once the
 * signal is aborted.
 */
export async function pushScores(
  scores: readonly PendingScore[],
  { prepare, sink, stopped, telemetry }: Pick<DeliverySettings, "prepare" | "sink" | "stopped" | "telemetry">,
  signal: AbortSignal,
): Promise<Pushed[]> {
  const preparing = scores.map((score) => prepareOne(score, prepare));
  const prepared = await Promise.race([Promise.all(preparing), whenAborted(signal)]);
  if (prepared === undefined) return scores.map(() => unprepared("the score was not prepared in time"));
  // What was being prepared stays pending: its look-ups were aborted.
  if (stopped.signal.aborted) return scores.map(() => ({}));
  const ready = prepared.flatMap(({ score }) => score ?? []);
  if (ready.length === 0) return prepared;
  const call = () => safeDeliver(sink, ready, { signal });
  const outcomes = await (telemetry ? telemetry.deliver(sink.name, call) : call());
  const next = outcomes.values();
  return prepared.map((one) => (one.score ? { ...one, outcome: next.next().value } : one));
}

/** A text policy that throws keeps its score back, and no other. */
async function prepareOne(score: PendingScore, prepare: DeliverySettings["prepare"]): Promise<Pushed> {
  try {
    return { score: await prepare(score) };
  } catch (error) {
    return unprepared(error instanceof Error ? error.message : "the score could not be prepared");
  }
}

const unprepared = (reason: string): Pushed => ({ outcome: { outcome: "retry", reason } });
