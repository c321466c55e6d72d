import type { RunFacts } from "@afterword/protocol";

/**
 * What a framework may know about a run, under the names that facts have. `finishReason` is in the framework's words, `steps`
 * are calls of the model, `toolErrors` tool calls that failed, and `model` is that of the last step.
 */
export type KnownFacts = { [Name in KnownFact]?: unknown };
type KnownFact =
  | "endedWell"
  | "finishReason"
  | "steps"
  | "toolErrors"
  | "inputTokens"
  | "outputTokens"
  | "costInUsd"
  | "model";

/** Some frameworks name what they do not know by an empty text. */
const isFact = (value: unknown): value is RunFacts[string] =>
  (typeof value === "string" && value !== "") ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value));

/**
 * Leaves out what is unknown or of another shape than expected: frameworks change. Nothing if reading throws, since facts must
 * never decide about a run or its mint.
 */
export function factsOf(read: () => KnownFacts): RunFacts {
  try {
    const known = Object.entries(read());
    return Object.fromEntries(known.filter((entry): entry is [string, RunFacts[string]] => isFact(entry[1])));
  } catch {
    return {};
  }
}
