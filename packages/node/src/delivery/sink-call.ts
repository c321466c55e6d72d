import type { PendingScore } from "@afterword/protocol";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Telemetry } from "./telemetry.ts";

const knownOutcomes = new Set(["delivered", "retry", "permanent", "fatal"]);

/** How a call ends, and what it reports on the way. */
export interface CallControl {
  /** Aborted when nothing more may be pushed: a redactor may never return. */
  halted: AbortSignal;
  /** Aborted when the call itself has to end. */
  cut: AbortSignal;
  telemetry: Telemetry;
  unprepared: (id: string, reason: string) => void;
}

/** A score and the outcome that the sink has given it; without one it was not pushed, or the call was cut. */
export type Pushed = { id: string; score?: DeliverableScore; outcome: Outcome | undefined };

/** Prepares scores and delivers them by one call of the sink. Never rejects or hangs. */
export async function callSink(
  { scores, freshUntil }: { scores: readonly PendingScore[]; freshUntil: number },
  settings: DeliverySettings,
  { halted, cut, telemetry, unprepared }: CallControl,
): Promise<Pushed[]> {
  const { clock, sink } = settings;
  const prepared = await unlessAborted(
    Promise.all(scores.map((score) => prepareOne(score, settings, unprepared))),
    halted,
  );
  // Scores that a redactor has held for too long may be erased by now.
  if (prepared === undefined || clock.now() > freshUntil)
    return scores.map(({ id }) => ({ id, outcome: undefined }));
  const ready = prepared.filter((score) => score !== undefined);
  if (ready.length === 0) return [];
  const now = () => clock.now();
  const outcomes = await telemetry.deliver(sink.name, ready, () => deliver(ready, settings, cut), now);
  return ready.map((score, index) => ({
    id: score.id,
    score,
    outcome: cut.aborted ? undefined : outcomes[index]!,
  }));
}

/** A text policy that throws keeps its score back, and no other. */
async function prepareOne(
  score: PendingScore,
  { prepare, stopped }: DeliverySettings,
  unprepared: CallControl["unprepared"],
): Promise<DeliverableScore | undefined> {
  try {
    return await prepare(score);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "the score could not be prepared";
    if (!stopped.signal.aborted) unprepared(score.id, reason);
    return undefined;
  }
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
  const ended = new AbortController();
  const over = AbortSignal.any([cut, ended.signal]);
  const call = new AbortController();
  const late = clock.sleep(sinkTimeoutInMs, over).then(() => {
    if (!ended.signal.aborted) call.abort();
    return failed(cut.aborted ? "was cut off" : "did not answer in time");
  });
  try {
    const outcomes: unknown = await Promise.race([sink.deliver(scores, { signal: call.signal }), late]);
    const isWhole = Array.isArray(outcomes) && outcomes.length === scores.length;
    // A sink that breaks the interface must not make a score look delivered or refused.
    if (isWhole && outcomes.every((one) => knownOutcomes.has(one?.outcome))) return outcomes as Outcome[];
    const reason = `sink ${sink.name} must answer one outcome for each of ${scores.length} scores`;
    return all({ outcome: "fatal", reason });
  } catch (error) {
    return failed(`threw ${nameOf(error)}`);
  } finally {
    ended.abort();
  }
}

/** Names an error without its words, which may quote the score. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "something that is not an error";
  const name = /^[A-Z]\w{0,39}$/.test(error.name) ? error.name : "Error";
  const code = "code" in error && /^[A-Z][A-Z0-9_]{1,39}$/.test(String(error.code)) ? ` ${error.code}` : "";
  return name + code;
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
