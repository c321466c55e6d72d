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

/** The wait that a sink asks for, in milliseconds; `undefined` if it asks for none. */
function waitIn(reply: unknown): number | undefined {
  const afterInMs = fieldOf(reply, "afterInMs");
  return typeof afterInMs === "number" && afterInMs >= 0 ? afterInMs : undefined;
}

/** Copies an outcome. One without a known word is `retry`: it must not make a score look delivered or refused. */
function outcomeIn(reply: unknown, name: string): Outcome {
  // An unhandled rejection would end the process.
  if (reply instanceof Promise) reply.catch(() => undefined);
  const outcome = fieldOf(reply, "outcome");
  if (outcome === "delivered") return { outcome };
  if (outcome === "permanent" || outcome === "fatal") return { outcome, reason: reasonIn(reply) };
  if (outcome !== "retry") return { outcome: "retry", reason: `sink ${name} returned no valid outcome` };
  const scope = fieldOf(reply, "scope") === "sink" ? "sink" : undefined;
  return { outcome, scope, reason: reasonIn(reply), afterInMs: waitIn(reply) };
}

/**
 * Calls `deliver` of a sink and returns one outcome for each score. Never rejects. An exception, a reply that is no array of
 * as many outcomes, and no reply until the signal is aborted count as `retry` for all scores.
 */
export async function safeDeliver(
  sink: Sink,
  scores: readonly DeliverableScore[],
  options: SinkOptions,
): Promise<Outcome[]> {
  const { name } = sink;
  const failed = (problem: string) =>
    scores.map((): Outcome => ({ outcome: "retry", scope: "sink", reason: `sink ${name} ${problem}` }));
  try {
    // A copy, since the sink may empty the array.
    const deliver = sink.deliver([...scores], options);
    const replies: unknown = await Promise.race([deliver, whenAborted(options.signal)]);
    if (replies === undefined && options.signal.aborted) return failed("did not answer in time");
    if (Array.isArray(replies) && replies.length === scores.length)
      return Array.from(replies, (reply) => outcomeIn(reply, name));
    return failed(`must return one outcome for each of ${scores.length} scores`);
  } catch (error) {
    return failed(`threw ${errorOrigin(error)}`);
  }
}

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
export async function safeErase(
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
