import { dayInMs } from "@afterword/protocol/duration";
import { errorName } from "../errors/error-name.ts";
import { isObject } from "../options/json.ts";
import type { DeliverableScore, Outcome, SinkOptions } from "./sink.ts";

/**
 * Finds the target of a score at the observability service. A score of the queue has a session id and possibly an
 * observation id; several services need their own trace, run or row instead. Return `null` if it does not exist yet: the
 * score is retried until it is a day old. Return `"never"` to refuse the score.
 */
export type ResolveTarget<Target> = (
  score: DeliverableScore,
  options: SinkOptions,
) => Target | null | "never" | Promise<Target | null | "never">;

/** The least recently used is forgotten first. */
const mostRemembered = 10_000;

/**
 * Remembers up to 10,000 found targets, and lets concurrent calls for one key share one lookup. What was not found is
 * looked up again by the next call, and so is a target after `forget(key)`, for example because it was deleted.
 */
export function targetMemory<Target, Miss = Outcome>() {
  type Found = { target: Target };
  const isFound = (result: Found | Miss): result is Found => isObject(result) && "target" in result;
  const known = new Map<string, Found>();
  const underway = new Map<string, Promise<Found | Miss>>();

  function remember(key: string, found: Found): Found {
    known.delete(key);
    known.set(key, found);
    if (known.size > mostRemembered) known.delete(known.keys().next().value as string);
    return found;
  }

  async function look(key: string, find: () => Promise<Found | Miss>): Promise<Found | Miss> {
    const found = known.get(key);
    if (found !== undefined) return remember(key, found);
    const shared = underway.get(key) ?? find().finally(() => underway.delete(key));
    underway.set(key, shared);
    const result = await shared;
    return isFound(result) ? remember(key, result) : result;
  }

  return Object.assign(look, { forget: (key: string) => void known.delete(key) });
}

/** The outcome for a missing target: it may still arrive at the service; after a day it counts as lost. */
export function missingTarget(score: Pick<DeliverableScore, "at">, reason: string, nowInMs: number) {
  const isLost = nowInMs - Date.parse(score.at) > dayInMs;
  return { outcome: isLost ? "permanent" : "retry", reason } as const;
}

/** Calls the caller's resolver. Its errors are retried, without their message, which may quote anything. */
export async function resolvedTarget<Target>(
  resolve: ResolveTarget<Target>,
  score: DeliverableScore,
  call: SinkOptions & { now(): number },
): Promise<{ target: Target } | Exclude<Outcome, { outcome: "delivered" }>> {
  try {
    const target = (await resolve(score, { signal: call.signal })) ?? null;
    if (target === "never") return { outcome: "permanent", reason: "the score has no target there" };
    return target === null
      ? missingTarget(score, "the target resolver found nothing", call.now())
      : { target };
  } catch (error) {
    return { outcome: "retry", reason: `the target resolver failed: ${errorName(error)}` };
  }
}
