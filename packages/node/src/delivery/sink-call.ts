import type { PendingScore } from "@afterword/protocol";
import { errorName } from "../errors/error-name.ts";
import { type DeliverableScore, isOutcome, type Outcome } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Telemetry } from "./telemetry.ts";

/** A score and its outcome: `score` is what the sink received. Without an outcome it was not pushed. */
export interface Pushed {
  id: string;
  score?: DeliverableScore;
  outcome?: Outcome | undefined;
  /** Why it could not be prepared, if that has failed. */
  unprepared?: string;
}

/**
 * Prepares scores and delivers them by one call of the sink. Never rejects or hangs: a redactor that never returns is left
 * when `preparing` is aborted, and a sink when `calls` is.
 */
export async function callSink(
  { scores, freshUntil }: { scores: readonly PendingScore[]; freshUntil: number },
  settings: DeliverySettings,
  telemetry: Telemetry,
  { preparing, calls }: { preparing: AbortSignal; calls: AbortSignal },
): Promise<Pushed[]> {
  const { clock, sink } = settings;
  const prepared = await unlessAborted(prepareAll(scores, settings), preparing);
  // Scores that a redactor has held for too long may be erased by now.
  if (prepared === undefined || clock.now() > freshUntil) return scores.map(({ id }) => ({ id }));
  const ready = prepared.flatMap(({ score }) => score ?? []);
  if (ready.length === 0) return prepared;
  const now = () => clock.now();
  const outcomes = await telemetry.deliver(sink.name, ready, () => deliver(ready, settings, calls), now);
  const pushed = ready.map((score, index) => ({
    id: score.id,
    score,
    outcome: calls.aborted ? undefined : outcomes[index],
  }));
  return [...prepared.filter(({ score }) => score === undefined), ...pushed];
}

/** A text policy that throws keeps its score back, and no other. */
function prepareAll(
  scores: readonly PendingScore[],
  { prepare, stopped }: DeliverySettings,
): Promise<Pushed[]> {
  return Promise.all(
    scores.map(async (score): Promise<Pushed> => {
      const { id } = score;
      try {
        return { id, score: await prepare(score) };
      } catch (error) {
        const reason = error instanceof Error ? error.message : "the score could not be prepared";
        return stopped.signal.aborted ? { id } : { id, unprepared: reason };
      }
    }),
  );
}

/** Delivers once. An error or a timeout counts as `retry` for all scores. */
async function deliver(
  scores: readonly DeliverableScore[],
  { clock, sink, sinkTimeoutInMs }: DeliverySettings,
  cut: AbortSignal,
): Promise<Outcome[]> {
  const all = (outcome: Outcome): Outcome[] => scores.map(() => outcome);
  const failed = (problem: string) =>
    all({ outcome: "retry", scope: "sink", reason: `sink ${sink.name} ${problem}` });
  const call = new AbortController();
  const ended = new AbortController();
  const late = clock.sleep(sinkTimeoutInMs, ended.signal).then(() => {
    if (!ended.signal.aborted || cut.aborted) call.abort();
    return failed("did not answer in time");
  });
  // A reason of its own, since the default one is an error with a stack, which costs more than the rest of the call.
  const end = () => ended.abort("ended");
  cut.addEventListener("abort", end);
  try {
    const outcomes: unknown = await Promise.race([sink.deliver(scores, { signal: call.signal }), late]);
    const isWhole = Array.isArray(outcomes) && outcomes.length === scores.length;
    if (isWhole && outcomes.every(isOutcome)) return outcomes;
    const reason = `sink ${sink.name} must answer one outcome for each of ${scores.length} scores`;
    return all({ outcome: "fatal", reason });
  } catch (error) {
    return failed(`threw ${errorName(error)}`);
  } finally {
    end();
    cut.removeEventListener("abort", end);
  }
}

/** Resolves as the promise does, or to `undefined` as soon as the signal is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
