import type {
  DeliverableScore,
  ErasableScore,
  ErasureOutcome,
  Outcome,
  Sink,
  SinkOptions,
} from "../scores/sink.ts";
import { nothingToSend, saysNothing } from "./status-outcome.ts";

type PerScore<Score, Result> = (score: Score, signal: AbortSignal) => Promise<Result>;

/** Calls a function for each score, at most `atOnce` at a time. Returns the results in the order of the scores. */
export function eachScore<Score, Result>(one: PerScore<Score, Result>, atOnce = Infinity) {
  return async (scores: readonly Score[], { signal }: SinkOptions): Promise<Result[]> => {
    const results: Result[] = [];
    let next = 0;
    const work = async () => {
      for (let at = next++; at < scores.length; at = next++) results[at] = await one(scores[at]!, signal);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, scores.length) }, work));
    return results;
  };
}

/** `deliver` of a sink that shows ratings and words: a score with neither is refused without a request. */
export const deliverEach = (one: PerScore<DeliverableScore, Outcome>) =>
  eachScore(async (score: DeliverableScore, signal): Promise<Outcome> =>
    saysNothing(score) ? nothingToSend : await one(score, signal),
  );

/** `eraseScores`, four requests at a time: no forwarder paces an erasure. */
export const eachErasure = (one: PerScore<ErasableScore, ErasureOutcome>) => eachScore(one, 4);

/** `eraseScores` of a service without a route that deletes: the operator has to delete the scores there. */
export function cannotErase(reason: string): NonNullable<Sink["eraseScores"]> {
  return (scores) => Promise.resolve(scores.map(() => ({ outcome: "unsupported", reason }) as const));
}
