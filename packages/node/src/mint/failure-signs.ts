import type { RunFacts } from "@afterword/protocol";
import { isObject, member, parseJson } from "../options/json.ts";
import { factsOf } from "./known-facts.ts";

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
export const resultFacts = (result: object): RunFacts =>
  factsOf(() => {
    const steps = list(member(result, "steps"));
    const parts = steps.flatMap((step) => list(member(step, "content")));
    return {
      finishReason: member(result, "finishReason"),
      steps: steps.length,
      toolErrors: parts.filter((part) => member(part, "type") === "tool-error").length,
      model: member(steps.at(-1), "response", "modelId"),
      ...tokensOf(member(result, "usage")),
    };
  });

const tokensOf = (usage: unknown) => ({
  inputTokens: member(usage, "inputTokens"),
  outputTokens: member(usage, "outputTokens"),
});

/** Follows the parts of a stream. One that begins as those of the AI SDK do was cut unless it has a `finish`. */
export class PartReader {
  #began = false;
  #isEmpty = true;
  #steps = 0;
  #toolErrors = 0;
  #model: unknown;
  #finish: unknown;
  hasFailed = false;
  hasFinished = false;

  see(part: unknown): void {
    const type = member(part, "type");
    this.#isEmpty = false;
    this.#began ||= type === "start";
    this.hasFinished ||= type === "finish";
    this.hasFailed ||= isFailedPart(part);
    if (type === "finish-step") {
      this.#steps += 1;
      this.#model = member(part, "response", "modelId");
    }
    if (type === "tool-error" || type === "tool-output-error") this.#toolErrors += 1;
    if (type === "finish") this.#finish = part;
  }

  /** What the parts so far say about the run; nothing if they are not the AI SDK's. */
  get facts(): RunFacts {
    if (this.#steps === 0) return {};
    const { finishReason, totalUsage } = Object(this.#finish) as Record<string, unknown>;
    const [steps, toolErrors, model] = [this.#steps, this.#toolErrors, this.#model];
    return factsOf(() => ({ finishReason, steps, toolErrors, model, ...tokensOf(totalUsage) }));
  }

  /** Whether the run ended well, given that its stream was read to the end. */
  get hasEndedWell(): boolean {
    return !this.#isEmpty && !this.hasFailed && (this.hasFinished || !this.#began);
  }
}

/** Finds the parts in server-sent events, whose lines may be spread over several chunks. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  #line = "";

  /** The parts in the lines that this chunk completes. */
  partsIn(chunk: Uint8Array): unknown[] {
    const lines = (this.#line + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#line = lines.pop() ?? "";
    return lines.flatMap((line) =>
      line.startsWith("data: {") ? [parseJson(line.slice("data: ".length))] : [],
    );
  }
}
