/**
 * Signs of a failed run in the AI SDK, whose streams end normally even then: a finish reason, or a part of the
 * stream. Checked against `ai` 7 (test/frameworks).
 */

/**
 * `length` and `interrupted` cut the answer off. `tool-calls` means that a tool's result never came back to the model: the
 * page or a person has to act first, or the run reached its limit of steps.
 */
const failingReasons: ReadonlySet<unknown> = new Set([
  "error",
  "length",
  "interrupted",
  "content-filter",
  "tool-calls",
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Whether a part of a stream says that the run failed, was aborted, or was cut off. */
export function isFailedPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (part["type"] === "finish") return failingReasons.has(part["finishReason"]);
  return part["type"] === "error" || part["type"] === "abort";
}

/** Whether a result ended well by its own finish reason, where it has one: a value, or the promise of one. */
export async function hasGoodFinish(result: unknown): Promise<boolean> {
  // Reading `finishReason` of a stream that has not begun makes the AI SDK read it, in parallel with its reader.
  const reason = isObject(result) && "finishReason" in result ? await result["finishReason"] : undefined;
  return !failingReasons.has(reason);
}

/** Finds failed parts in server-sent events, whose lines may be spread over several chunks. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  #line = "";

  /** Whether a line that this chunk completes says that the run failed. */
  hasFailedPart(chunk: unknown): boolean {
    if (!(chunk instanceof Uint8Array)) return false;
    const lines = (this.#line + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#line = lines.pop() ?? "";
    return lines.some(
      (line) => line.startsWith("data: {") && isFailedPart(parsed(line.slice("data: ".length))),
    );
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
