import { backoffInMs } from "../http/backoff.ts";
import type { Clock } from "../options/clock.ts";
import type { ErasableScore, ErasureOutcome, Sink } from "../scores/sink.ts";
import { askToErase } from "../sinks/ask-to-erase.ts";

/** The clock and randomness for waits between attempts and for stalled streams. */
export interface Timing {
  clock: Clock;
  random: () => number;
}

/** What happened at one sink. */
export interface SinkErasure {
  sink: string;
  erased: number;
  /** Scores that the sink cannot delete, with what to do by hand. */
  unsupported: number;
  failed: number;
  /** Why not, each reason once. */
  reasons: string[];
}

const scoresPerCall = 100;
const attempts = 5;
const backoff = { firstInMs: 1000, longestInMs: 30_000 };
/** A service that asks for a longer wait is called again after this. */
const longestWaitInMs = 60_000;

const waitOf = (outcome: ErasureOutcome) => ("afterInMs" in outcome ? outcome.afterInMs : undefined);

/** The wait before a retry, in milliseconds; `undefined` if nothing is worth retrying. */
function pauseAfter(outcomes: readonly ErasureOutcome[], attempt: number, random: () => number) {
  const waits = outcomes.map(waitOf).filter((wait) => wait !== undefined);
  if (waits.length === 0 || attempt === attempts) return undefined;
  return Math.min(longestWaitInMs, Math.max(backoffInMs(backoff, attempt, random), ...waits));
}

/** A call may take as long as a forwarder gives it by default. */
const longestCallInMs = 30_000;

async function askInTime(sink: Sink, scores: readonly ErasableScore[], clock: Clock, signal: AbortSignal) {
  const [late, answered] = [new AbortController(), new AbortController()];
  void clock.sleep(longestCallInMs, answered.signal).then(() => late.abort());
  const outcomes = await askToErase(sink, scores, { signal: AbortSignal.any([signal, late.signal]) });
  answered.abort();
  return outcomes;
}

/** One outcome for each score. Retries transient failures until five attempts in a row delete nothing. */
async function eraseBatch(sink: Sink, batch: readonly ErasableScore[], timing: Timing, signal: AbortSignal) {
  const { clock, random } = timing;
  const settled: ErasureOutcome[] = [];
  let left = batch;
  let attempt = 1;
  for (;;) {
    const outcomes = await askInTime(sink, left, clock, signal);
    const pauseInMs = signal.aborted ? undefined : pauseAfter(outcomes, attempt, random);
    if (pauseInMs === undefined) return [...settled, ...outcomes];
    const done = outcomes.filter((outcome) => waitOf(outcome) === undefined);
    attempt = done.length > 0 ? 1 : attempt + 1;
    settled.push(...done);
    left = left.filter((_, index) => waitOf(outcomes[index]!) !== undefined);
    await clock.sleep(pauseInMs, signal);
  }
}

/** Deletes these scores at one sink and counts the outcomes; never rejects. */
export async function eraseAtSink(
  sink: Sink,
  scores: readonly ErasableScore[],
  timing: Timing,
  signal: AbortSignal,
): Promise<SinkErasure> {
  const result: SinkErasure = { sink: sink.name, erased: 0, unsupported: 0, failed: 0, reasons: [] };
  for (let from = 0; from < scores.length; from += scoresPerCall) {
    const batch = scores.slice(from, from + scoresPerCall);
    for (const outcome of await eraseBatch(sink, batch, timing, signal)) {
      result[outcome.outcome] += 1;
      if ("reason" in outcome && !result.reasons.includes(outcome.reason))
        result.reasons.push(outcome.reason);
    }
  }
  return result;
}
