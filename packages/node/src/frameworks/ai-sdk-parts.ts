import { isObject, member } from "../options/json.ts";
import type { RunEnd } from "./feedback-of-run.ts";
import type { StreamWatcher } from "./watched-stream.ts";

/**
 * Signs of a failed run in the AI SDK, whose streams end normally even then: a finish reason, a part of the stream, or a
 * missing `finish`. Checked against `ai` 7 (test/frameworks).
 */

/**
 * `length` and `interrupted` cut the answer off. `tool-calls` means that a tool's result never came back to the model: the
 * page or a person has to act first, or the run reached its limit of steps. `other` is the reason of a model's stream that
 * broke off without one.
 */
const failingReasons: ReadonlySet<unknown> = new Set([
  "error",
  "length",
  "interrupted",
  "content-filter",
  "tool-calls",
  "other",
]);

/** Whether a part of a stream says that the run failed, was aborted, or was cut off. */
function isFailedPart(part: unknown): boolean {
  const type = member(part, "type");
  if (type === "finish") return failingReasons.has(member(part, "finishReason"));
  return type === "error" || type === "abort";
}

/** Whether a result ended well by its own finish reason, where it has one: a value, or the promise of one. */
export async function hasGoodFinish(result: unknown): Promise<boolean> {
  // Reading `finishReason` of a stream that has not begun makes the AI SDK read it, in parallel with its reader.
  const reason = isObject(result) && "finishReason" in result ? await result["finishReason"] : undefined;
  return !failingReasons.has(reason);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** What the result of `generateText` of the AI SDK says about its run. */
export function resultFacts(result: object) {
  const steps = list(member(result, "steps"));
  const parts = steps.flatMap((step) => list(member(step, "content")));
  return {
    finishReason: member(result, "finishReason"),
    steps: steps.length,
    toolErrors: parts.filter((part) => member(part, "type") === "tool-error").length,
    model: member(steps.at(-1), "response", "modelId"),
    ...tokensOf(member(result, "usage")),
  };
}

const tokensOf = (usage: unknown) => ({
  inputTokens: member(usage, "inputTokens"),
  outputTokens: member(usage, "outputTokens"),
});

/**
 * Watches the parts of a stream, of which a failed one is the end. A stream that begins as those of the AI SDK do, or
 * `mustFinish`, was cut unless it has a `finish`.
 */
export function partWatcher(
  end: (runEnd: Pick<RunEnd, "well" | "facts">) => void,
  { mustFinish = false } = {},
): StreamWatcher<unknown> {
  let [isEmpty, hasFailed] = [true, false];
  let [steps, toolErrors, model]: [number, number, unknown] = [0, 0, undefined];
  let finish: unknown;
  /** Nothing if the parts are not the AI SDK's. */
  const facts = () => {
    const usage = tokensOf(member(finish, "totalUsage"));
    return steps > 0
      ? { finishReason: member(finish, "finishReason"), steps, toolErrors, model, ...usage }
      : {};
  };
  return {
    see(part) {
      const type = member(part, "type");
      isEmpty = false;
      mustFinish ||= type === "start";
      hasFailed ||= isFailedPart(part);
      if (type === "finish") finish = part;
      if (type === "tool-error" || type === "tool-output-error") toolErrors += 1;
      if (type === "finish-step") [steps, model] = [steps + 1, member(part, "response", "modelId")];
      if (hasFailed) end({ well: false, facts });
    },
    ended(wasReadToItsEnd) {
      const isWhole = wasReadToItsEnd && !isEmpty && (finish !== undefined || !mustFinish);
      end({ well: isWhole && !hasFailed, facts });
    },
  };
}
