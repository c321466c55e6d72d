import { errorName, errorOrigin } from "../errors/error-name.ts";
import { whenAborted } from "../options/clock.ts";
import type { DeliverableScore, ErasableScore, ErasureOutcome, Outcome, Sink, SinkOptions } from "./sink.ts";

const longestReason = 1000;

/** Reads one field of what a sink returned; `undefined` if there is none, or if reading it throws. */
export function fieldOf(reply: unknown, key: string): unknown {
  try {
    return (reply as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** The reason that a sink gives: its text in one line, or the class of an error. */
export function reasonIn(reply: unknown): string {
  const reason = fieldOf(reply, "reason");
  if (typeof reason === "string") {
    const text = reason.slice(0, longestReason).replaceAll(/\s+/g, " ").trim();
    return text === "" ? "gave no reason" : text;
  }
  const name = errorName(reason);
  return name === errorName(undefined) ? "gave no reason" : name;
}

/** Copies what a sink says of a score; `undefined` unless its outcome is one of these words. */
function outcomeIn<Said extends Outcome | ErasureOutcome>(
  reply: unknown,
  words: readonly Said["outcome"][],
): Said | undefined {
  // An unhandled rejection would end the process.
  if (reply instanceof Promise) reply.catch(() => undefined);
  const said = fieldOf(reply, "outcome");
  const outcome = words.find((word) => word === said);
  if (outcome === undefined) return undefined;
  if (outcome === "delivered" || outcome === "erased") return { outcome } as Said;
  const scope = fieldOf(reply, "scope") === "sink" ? "sink" : undefined;
  const wait = fieldOf(reply, "afterInMs");
  const afterInMs = typeof wait === "number" && wait >= 0 ? wait : undefined;
  return { outcome, scope, reason: reasonIn(reply), afterInMs } as Said;
}

/**
 * Calls a sink and returns one outcome for each score. Never rejects. Where the sink says nothing known, all or one of them
 * have `failed`: nothing else may make a score look delivered, refused or erased.
 */
async function callSafely<Score, Said extends Outcome | ErasureOutcome>(
  scores: readonly Score[],
  { signal }: SinkOptions,
  call: (scores: readonly Score[]) => unknown,
  words: readonly Said["outcome"][],
  failed: (problem: string, what: "the call" | "a late call" | "one score") => Said,
): Promise<Said[]> {
  const all = (problem: string, isLate?: boolean) =>
    scores.map(() => failed(problem, isLate ? "a late call" : "the call"));
  try {
    // A copy, since the sink may empty the array.
    const replies = await Promise.race([call([...scores]), whenAborted(signal)]);
    if (replies === undefined && signal.aborted) return all("did not answer in time", true);
    if (!Array.isArray(replies) || replies.length !== scores.length)
      return all(`must return one outcome for each of ${scores.length} scores`);
    return Array.from(
      replies,
      (reply) => outcomeIn(reply, words) ?? failed("returned no valid outcome", "one score"),
    );
  } catch (error) {
    return all(`threw ${errorOrigin(error)}`);
  }
}

/** Delivers scores by one call of a sink. A failed call is `retry` for all scores, and shows that the sink does not work. */
export const safeDeliver = (sink: Sink, scores: readonly DeliverableScore[], options: SinkOptions) =>
  callSafely<DeliverableScore, Outcome>(
    scores,
    options,
    (copy) => sink.deliver(copy, options),
    ["delivered", "retry", "permanent", "fatal"],
    (problem, what) => ({
      outcome: "retry",
      scope: what === "one score" ? undefined : "sink",
      reason: `sink ${sink.name} ${problem}`,
    }),
  );

/** Asks a sink to delete scores, which are `erased` only if it says so. */
export async function safeErase(
  sink: Sink,
  scores: readonly ErasableScore[],
  options: SinkOptions,
): Promise<ErasureOutcome[]> {
  const { name, eraseScores } = sink;
  const reason = `${name}: scores can only be deleted by hand`;
  if (!eraseScores) return scores.map(() => ({ outcome: "unsupported", reason }));
  return await callSafely<ErasableScore, ErasureOutcome>(
    scores,
    options,
    (copy) => eraseScores.call(sink, copy, options),
    ["erased", "unsupported", "failed"],
    (problem, what) => ({
      outcome: "failed",
      reason: `${name}: ${problem}`,
      afterInMs: what === "a late call" ? 0 : undefined,
    }),
  );
}
