import { errorName } from "../errors/error-name.ts";
import { whenAborted } from "../options/when-aborted.ts";
import type { ErasableScore, ErasureOutcome, Sink, SinkOptions } from "../scores/sink.ts";

const knownOutcomes = new Set(["erased", "unsupported", "failed"]);

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
    const outcomes = await Promise.race([sink.eraseScores(scores, options), whenAborted(signal)]);
    if (outcomes === undefined && signal.aborted)
      return all("failed", "did not answer in time").map((one) => ({ ...one, afterInMs: 0 }));
    const isWhole = Array.isArray(outcomes) && outcomes.length === scores.length;
    if (isWhole && outcomes.every((one) => knownOutcomes.has(one?.outcome))) return outcomes;
    return all("failed", "it must return one outcome for each score");
  } catch (error) {
    return all("failed", errorName(error));
  }
}
