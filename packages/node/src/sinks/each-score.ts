import type { Sink, SinkOptions } from "../scores/sink.ts";

/** Makes a function of one score a function of several: one outcome for each, in their order. */
export function eachScore<Score, Result>(one: (score: Score, signal: AbortSignal) => Promise<Result>) {
  return (scores: readonly Score[], { signal }: SinkOptions): Promise<Result[]> =>
    Promise.all(scores.map((score) => one(score, signal)));
}

/** Deletions that are under way at once: an erasure has no forwarder that would pace it. */
const fewAtOnce = 4;

/** The same, a few at a time. */
export function eachErasure<Score, Result>(one: (score: Score, signal: AbortSignal) => Promise<Result>) {
  return async (scores: readonly Score[], { signal }: SinkOptions): Promise<Result[]> => {
    const results: Result[] = [];
    let next = 0;
    const work = async () => {
      for (let at = next++; at < scores.length; at = next++) results[at] = await one(scores[at]!, signal);
    };
    await Promise.all(Array.from({ length: fewAtOnce }, work));
    return results;
  };
}

/** Where the destination has no route that deletes; the person in charge has to do it there. */
export function cannotErase(reason: string): NonNullable<Sink["eraseScores"]> {
  return (scores) => Promise.resolve(scores.map(() => ({ outcome: "unsupported", reason }) as const));
}
