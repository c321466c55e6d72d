import type { Clock } from "./clock.ts";
import type { DeliverableScore, Outcome, Sink } from "./sink.ts";

export interface DeliverBatchOptions {
  sink: Sink;
  clock: Clock;
  /** Milliseconds until a call of the sink is given up. */
  timeoutInMs: number;
  /** Aborted when the forwarder must be gone. */
  signal: AbortSignal;
}

const knownOutcomes = new Set(["delivered", "retry", "permanent", "fatal"]);

/** What went wrong, without the message, which may quote the score. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "something that is not an error";
  return "code" in error && typeof error.code === "string" ? `${error.name} ${error.code}` : error.name;
}

/** A sink that does not keep to the interface must not make a row look delivered or refused. */
function checkedOutcomes(outcomes: unknown, count: number, sink: Sink): Outcome[] {
  const valid = Array.isArray(outcomes) && outcomes.length === count;
  if (valid && outcomes.every((outcome) => knownOutcomes.has(outcome?.outcome))) return outcomes;
  const reason = `sink ${sink.name} must answer one outcome for each of ${count} scores`;
  return Array.from({ length: count }, () => ({ outcome: "fatal", reason }));
}

/** Calls the sink once. Never rejects: what the sink throws, and a call without end, count as `retry` for all. */
export async function deliverBatch(
  scores: readonly DeliverableScore[],
  { sink, clock, timeoutInMs, signal }: DeliverBatchOptions,
): Promise<Outcome[]> {
  const retryAll = (problem: string): Outcome[] =>
    scores.map(() => ({ outcome: "retry", scope: "sink", reason: `sink ${sink.name} ${problem}` }));
  const answered = new AbortController();
  const givenUp = new AbortController();
  const stop = () => answered.abort();
  signal.addEventListener("abort", stop, { once: true });
  const limit = clock.sleep(timeoutInMs, answered.signal).then(() => retryAll("did not answer in time"));
  try {
    if (signal.aborted) return retryAll("was not called");
    const delivery = sink.deliver(scores, { signal: givenUp.signal });
    return checkedOutcomes(await Promise.race([delivery, limit]), scores.length, sink);
  } catch (error) {
    return retryAll(`threw ${nameOf(error)}`);
  } finally {
    givenUp.abort();
    answered.abort();
    signal.removeEventListener("abort", stop);
  }
}
