import type { RunFacts } from "@afterword/protocol";
import { isObject } from "../options/json.ts";

/** What a framework may know about a run, under the names that facts have. */
export interface KnownFacts {
  /** Whether the run ended without a failure. */
  endedWell?: unknown;
  /** Why the model stopped, in the framework's words, for example `stop` or `error_max_turns`. */
  finishReason?: unknown;
  /** Calls of the model. */
  steps?: unknown;
  /** Tool calls that failed. */
  toolErrors?: unknown;
  inputTokens?: unknown;
  outputTokens?: unknown;
  costInUsd?: unknown;
  /** Of the last step. */
  model?: unknown;
}

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

/** A member of a value of any shape, for example `member(part, "response", "modelId")`. */
export const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
