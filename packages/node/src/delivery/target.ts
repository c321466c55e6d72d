import { type DeliverableScore, type SinkOptions } from "./sink.ts";

/**
 * Finds what a score belongs to at the observability service. A row of the queue carries a session id and perhaps an
 * observation id; several services want a trace, a run or a row of their own instead. `null` means that it is not
 * there yet: the score is tried again until it is a day old.
 */
export type ResolveTarget<Target> = (
  score: DeliverableScore,
  options: SinkOptions,
) => Target | null | Promise<Target | null>;

export interface TargetMemoryOptions {
  /** Most targets that are remembered; the one not used for longest is forgotten first. Default 10,000. */
  size?: number;
}

/**
 * Remembers what `find` has found, and lets calls for one key share one look-up. Only what was found is remembered:
 * `null` and errors are asked for again.
 */
export function targetMemory<Target>({ size = 10_000 }: TargetMemoryOptions = {}) {
  const known = new Map<string, Target>();
  const underway = new Map<string, Promise<Target | null>>();

  function remember(key: string, target: Target): Target {
    known.delete(key);
    known.set(key, target);
    if (known.size > size) known.delete(known.keys().next().value as string);
    return target;
  }

  return async function look(key: string, find: () => Promise<Target | null>): Promise<Target | null> {
    const found = known.get(key);
    if (found !== undefined) return remember(key, found);
    const shared = underway.get(key) ?? find().finally(() => underway.delete(key));
    underway.set(key, shared);
    const target = await shared;
    return target === null ? null : remember(key, target);
  };
}
