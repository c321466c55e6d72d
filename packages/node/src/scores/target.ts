import type { DeliverableScore, Outcome, SinkOptions } from "./sink.ts";

/**
 * Finds what a score belongs to at the observability service. A row of the queue carries a session id and perhaps an
 * observation id; several services want a trace, a run or a row of their own instead. `null` means that it is not
 * there yet: the score is tried again until it is a day old. `"never"` means that there will be none: it is refused.
 */
export type ResolveTarget<Target> = (
  score: DeliverableScore,
  options: SinkOptions,
) => Target | null | "never" | Promise<Target | null | "never">;

export interface TargetMemoryOptions {
  /** Most targets that are remembered; the one not used for longest is forgotten first. Default 10,000. */
  size?: number;
}

/**
 * Remembers which targets were found, and lets calls for one key share one look-up. A look-up without a target is
 * asked again the next time; so is a target after `forget(key)`, for example because it was deleted.
 */
export function targetMemory<Target, Miss = Outcome>({ size = 10_000 }: TargetMemoryOptions = {}) {
  type Found = { target: Target };
  const isFound = (answer: Found | Miss): answer is Found =>
    typeof answer === "object" && answer !== null && "target" in answer;
  const known = new Map<string, Found>();
  const underway = new Map<string, Promise<Found | Miss>>();

  function remember(key: string, found: Found): Found {
    known.delete(key);
    known.set(key, found);
    if (known.size > size) known.delete(known.keys().next().value as string);
    return found;
  }

  async function look(key: string, find: () => Promise<Found | Miss>): Promise<Found | Miss> {
    const found = known.get(key);
    if (found !== undefined) return remember(key, found);
    const shared = underway.get(key) ?? find().finally(() => underway.delete(key));
    underway.set(key, shared);
    const answer = await shared;
    return isFound(answer) ? remember(key, answer) : answer;
  }

  return Object.assign(look, { forget: (key: string) => void known.delete(key) });
}

const dayInMs = 24 * 60 * 60 * 1000;

/** A target that is not there may still be on its way to the service; after a day it is taken for lost. */
export function missingTarget(score: Pick<DeliverableScore, "at">, reason: string, nowInMs: number) {
  const isLost = nowInMs - Date.parse(score.at) > dayInMs;
  return { outcome: isLost ? "permanent" : "retry", reason } as const;
}

/** Asks the caller's own resolver. What it throws may mend itself; the error's message may quote anything. */
export async function resolvedTarget<Target>(
  resolve: ResolveTarget<Target>,
  score: DeliverableScore,
  options: SinkOptions,
  nowInMs: number,
): Promise<{ target: Target } | Exclude<Outcome, { outcome: "delivered" }>> {
  try {
    const target = (await resolve(score, options)) ?? null;
    if (target === "never") return { outcome: "permanent", reason: "the score has no target there" };
    return target === null ? missingTarget(score, "the target resolver found nothing", nowInMs) : { target };
  } catch (error) {
    const name = error instanceof Error ? error.name : "Error";
    return { outcome: "retry", reason: `the target resolver failed: ${name}` };
  }
}
