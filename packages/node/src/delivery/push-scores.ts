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
  const prepared = await Promise.race([prepareAll(scores, prepare), whenAborted(signal)]);
  if (prepared === undefined)
    return scores.map(({ id }) => unprepared(id, "the score was not prepared in time"));
  // What was being prepared stays pending: its look-ups were aborted.
  if (stopped.signal.aborted) return scores.map(({ id }) => ({ id }));
  const ready = prepared.flatMap(({ score }) => score ?? []);
  if (ready.length === 0) return prepared;
  const call = () => safeDeliver(sink, ready, { signal });
  const outcomes = await (telemetry ? telemetry.deliver(sink.name, call) : call());
  const next = outcomes.values();
  return prepared.map((one) => (one.score ? { ...one, outcome: next.next().value } : one));
}

/** A text policy that throws keeps its score back, and no other. */
function prepareAll(scores: readonly PendingScore[], prepare: DeliverySettings["prepare"]) {
  return Promise.all(
    scores.map(async (score): Promise<Pushed> => {
      const { id } = score;
      try {
        return { id, score: await prepare(score) };
      } catch (error) {
        return unprepared(id, error instanceof Error ? error.message : "the score could not be prepared");
      }
    }),
  );
}

const unprepared = (id: string, reason: string): Pushed => ({ id, outcome: { outcome: "retry", reason } });
