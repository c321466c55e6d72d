import { errorName } from "../errors/error-name.ts";
import { whenAborted } from "../options/when-aborted.ts";
import { fieldOf, reasonIn, waitIn } from "../scores/call-deliver.ts";
import type { ErasableScore, ErasureOutcome, Sink, SinkOptions } from "../scores/sink.ts";

/** Copies an outcome; `undefined` without a known word. */
function erasureIn(reply: unknown): ErasureOutcome | undefined {
  // An unhandled rejection would end the process.
  if (reply instanceof Promise) reply.catch(() => undefined);
  const outcome = fieldOf(reply, "outcome");
  if (outcome === "erased") return { outcome };
  if (outcome === "unsupported") return { outcome, reason: reasonIn(reply) };
  return outcome === "failed" ? { outcome, reason: reasonIn(reply), afterInMs: waitIn(reply) } : undefined;
}

/**
 * Asks a sink to delete scores, and waits no longer once the signal is aborted. Returns one outcome for each; a score is
 * `erased` only if the sink says so.
 */
export async function askToErase(
  sink: Sink,
  scores: readonly ErasableScore[],
  options: SinkOptions,
): Promise<ErasureOutcome[]> {
  const all = (outcome: "unsupported" | "failed", reason: string) =>
    scores.map(() => ({ outcome, reason: `${sink.name}: ${reason}` }));
  if (!sink.eraseScores) return all("unsupported", "scores can only be deleted by hand");
  try {
    const { signal } = options;
    const erasing = sink.eraseScores([...scores], options);
    const outcomes: unknown = await Promise.race([erasing, whenAborted(signal)]);
    if (outcomes === undefined && signal.aborted)
      return all("failed", "did not answer in time").map((one) => ({ ...one, afterInMs: 0 }));
    const read = Array.isArray(outcomes) ? Array.from(outcomes, erasureIn) : [];
    if (read.length === scores.length && read.every((one) => one !== undefined)) return read;
    return all("failed", "it must return one outcome for each score");
  } catch (error) {
    return all("failed", errorName(error));
  }
}
