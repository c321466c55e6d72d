import { type Sink, type SinkOptions } from "../delivery/sink.ts";

/** Makes a function of one score a function of several: one outcome for each, in their order. */
export function eachScore<Score, Result>(one: (score: Score, signal: AbortSignal) => Promise<Result>) {
  return (scores: readonly Score[], { signal }: SinkOptions): Promise<Result[]> =>
    Promise.all(scores.map((score) => one(score, signal)));
}

/** Where the destination has no route that deletes; the person in charge has to do it there. */
export function cannotErase(reason: string): NonNullable<Sink["eraseScores"]> {
  return (scores) => Promise.resolve(scores.map(() => ({ outcome: "unsupported", reason }) as const));
}
