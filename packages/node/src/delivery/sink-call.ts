import type { PendingScore } from "@afterword/protocol";
import { errorName } from "../errors/error-name.ts";
import { whenAborted } from "../options/when-aborted.ts";
import { type DeliverableScore, isOutcome, type Outcome, type Sink } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Telemetry } from "./telemetry.ts";

/** A score and its outcome: `score` is what the sink received, and is missing if it could not be prepared. */
export interface Pushed {
  id: string;
  score?: DeliverableScore;
  /** Missing if the forwarder has stopped before the score was pushed. */
  outcome?: Outcome;
}

/**
 * Prepares scores and delivers them by one call of the sink. Never rejects, and waits for no redactor and no sink once the
 * signal is aborted.
 */
export async function callSink(
  scores: readonly PendingScore[],
  settings: DeliverySettings,
  telemetry: Telemetry,
  signal: AbortSignal,
): Promise<Pushed[]> {
  const { clock, sink, stopped } = settings;
  const aborted = whenAborted(signal);
  const prepared = await Promise.race([prepareAll(scores, settings), aborted]);
  if (prepared === undefined)
    return scores.map(({ id }) => unprepared(id, "the score was not prepared in time"));
  // What was being prepared stays pending: its look-ups were aborted.
  if (stopped.signal.aborted) return scores.map(({ id }) => ({ id }));
  const ready = prepared.flatMap(({ score }) => score ?? []);
  if (ready.length === 0) return prepared;
  const call = () => deliver(ready, sink, signal, aborted);
  const outcomes = await telemetry.deliver(sink.name, ready, call, () => clock.now());
  const pushed = ready.map((score, index): Pushed => ({ id: score.id, score, outcome: outcomes[index]! }));
  return [...prepared.filter(({ score }) => score === undefined), ...pushed];
}

/** A text policy that throws keeps its score back, and no other. */
function prepareAll(scores: readonly PendingScore[], { prepare }: DeliverySettings): Promise<Pushed[]> {
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

/** Delivers once. An error or a timeout counts as `retry` for all scores. */
async function deliver(
  scores: readonly DeliverableScore[],
  sink: Sink,
  signal: AbortSignal,
  aborted: Promise<undefined>,
): Promise<Outcome[]> {
  const all = (outcome: Outcome): Outcome[] => scores.map(() => outcome);
  const failed = (problem: string) =>
    all({ outcome: "retry", scope: "sink", reason: `sink ${sink.name} ${problem}` });
  try {
    const outcomes: unknown = await Promise.race([sink.deliver(scores, { signal }), aborted]);
    if (outcomes === undefined && signal.aborted) return failed("did not answer in time");
    const isWhole = Array.isArray(outcomes) && outcomes.length === scores.length;
    if (isWhole && outcomes.every(isOutcome)) return outcomes;
    const reason = `sink ${sink.name} must answer one outcome for each of ${scores.length} scores`;
    return all({ outcome: "fatal", reason });
  } catch (error) {
    return failed(`threw ${errorName(error)}`);
  }
}
