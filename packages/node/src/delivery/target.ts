import { type DeliverableScore, type Outcome, type SinkOptions } from "./sink.ts";

/**
 * Finds what a score belongs to at the observability service. A row of the queue carries a session id and perhaps an
 * observation id; several services want a trace, a run or a row of their own instead. `null` means that it is not
 * there yet: the score is tried again until it is a day old.
 */
export type ResolveTarget<Target> = (
  score: DeliverableScore,
  options: SinkOptions,
) => Target | null | Promise<Target | null>;

/** The target, or what becomes of the score without it. */
export type TargetLookup<Target> =
  { target: Target } | (Exclude<Outcome, { outcome: "delivered" }> & MayBeMissing);

/** Marks an outcome whose reason is that the target is not there. */
interface MayBeMissing {
  isMissing?: true;
}

export interface TargetMemoryOptions {
  /** Most targets that are remembered; the one not used for longest is forgotten first. Default 10,000. */
  size?: number;
}

/**
 * Remembers which targets were found, and lets calls for one key share one look-up. A look-up without a target is
 * asked again the next time.
 */
export function targetMemory<Target>({ size = 10_000 }: TargetMemoryOptions = {}) {
  const known = new Map<string, { target: Target }>();
  const underway = new Map<string, Promise<TargetLookup<Target>>>();

  function remember(key: string, found: { target: Target }) {
    known.delete(key);
    known.set(key, found);
    if (known.size > size) known.delete(known.keys().next().value as string);
    return found;
  }

  return async function look(
    key: string,
    find: () => Promise<TargetLookup<Target>>,
  ): Promise<TargetLookup<Target>> {
    const found = known.get(key);
    if (found !== undefined) return remember(key, found);
    const shared = underway.get(key) ?? find().finally(() => underway.delete(key));
    underway.set(key, shared);
    const answer = await shared;
    return "target" in answer ? remember(key, answer) : answer;
  };
}

const dayInMs = 24 * 60 * 60 * 1000;

/** A target that is not there may still be on its way to the service; after a day it is taken for lost. */
export function missingTarget(score: Pick<DeliverableScore, "at">, reason: string, nowInMs: number) {
  const isLost = nowInMs - Date.parse(score.at) > dayInMs;
  return { outcome: isLost ? "permanent" : "retry", reason, isMissing: true } as const;
}
