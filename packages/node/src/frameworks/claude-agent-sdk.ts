import { ConfigurationError } from "../errors/afterword-error.ts";
import { feedbackOfRun } from "./feedback-of-run.ts";
import type { FeedbackOptions, RunEnd, RunWithFeedback, WatchRun } from "./feedback-of-run.ts";
import { watchedIterable } from "./watched-stream.ts";
import { isObject, member } from "../options/json.ts";
import { runReference } from "../scores/run-reference.ts";

/** What `withFeedback` of `@afterword/node/claude-agent-sdk` takes. */
export interface ClaudeAgentOptions extends FeedbackOptions {
  respondentId: string;
  /** Default: the `session_id` of the messages. */
  sessionId?: string | undefined;
}

/**
 * Mints when a turn of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`) has ended well: its `result` message says
 * `success`, the model stopped by itself, and no tool was deferred to a person; limits of turns and budgets, interrupts and errors
 * are failures. Takes what `query()` returns and returns it as `result`. `feedback` is that of the first turn; with streamed
 * input, `onFeedback` gets each turn's. Throws a `ConfigurationError` for anything else than a query.
 */
export function withFeedback<Run extends AsyncIterable<unknown>>(
  run: Run,
  options: ClaudeAgentOptions,
): RunWithFeedback<Run> {
  return feedbackOfRun(run, options, watch);
}

const inputNames = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** What is used of a `result` message. */
interface ResultMessage {
  type: "result";
  subtype: string;
  is_error: boolean;
  stop_reason?: string | null;
  terminal_reason?: string;
  session_id: string;
  num_turns?: number;
  /** Of the whole query so far. */
  total_cost_usd?: number;
  usage?: Partial<Record<(typeof inputNames)[number] | "output_tokens", number>>;
}

const watch: WatchRun = (run, end) => {
  if (!isQuery(run))
    throw new ConfigurationError(
      "withFeedback of @afterword/node/claude-agent-sdk takes what query() of `@anthropic-ai/claude-agent-sdk` returns.",
    );
  let turns = 0;
  let [toolErrors, model]: [number, unknown] = [0, undefined];
  let spentBeforeInUsd = 0;
  const see = (message: unknown) => {
    toolErrors += failedTools(message);
    model = member(message, "message", "model") ?? model;
    if (!isResult(message)) return;
    const facts = () => ({ ...turnFacts(message, spentBeforeInUsd), toolErrors, model });
    end({ ...turnEnd(message, turns > 0), facts });
    turns += 1;
    toolErrors = 0;
    spentBeforeInUsd = message.total_cost_usd ?? spentBeforeInUsd;
  };
  let isOver = false;
  const ended = (wasReadToItsEnd: boolean) => {
    if (isOver && wasReadToItsEnd)
      throw new ConfigurationError(
        "withFeedback: this query is read twice, and has nothing more to give. Read its messages once.",
      );
    isOver ||= wasReadToItsEnd;
    if (turns === 0) end({ well: false });
  };
  // All ways to read a query lead to one generator; another iterable may give each reader its own.
  watchedIterable("next" in run ? run[Symbol.asyncIterator]() : run, { see, ended });
  return run;
};

const isQuery = (run: unknown): run is AsyncIterable<unknown> => isObject(run) && Symbol.asyncIterator in run;

const isResult = (message: unknown): message is ResultMessage => member(message, "type") === "result";

/** In a message that brings tools' results back to the model. */
function failedTools(message: unknown): number {
  const content = member(message, "message", "content");
  const results = Array.isArray(content) ? content : [];
  return results.filter((part) => member(part, "type") === "tool_result" && member(part, "is_error") === true)
    .length;
}

const turnFacts = (
  { subtype, stop_reason, num_turns, total_cost_usd, usage }: ResultMessage,
  spentBeforeInUsd: number,
) => ({
  finishReason: subtype === "success" ? stop_reason : subtype,
  steps: num_turns,
  costInUsd: total_cost_usd === undefined ? undefined : total_cost_usd - spentBeforeInUsd,
  inputTokens: usage && inputNames.reduce((sum, name) => sum + (usage[name] ?? 0), 0),
  outputTokens: usage?.output_tokens,
});

const goodStops: ReadonlySet<unknown> = new Set(["end_turn", "stop_sequence", null, undefined]);

/** The span that is active at the start belongs to the first turn. */
function turnEnd(message: ResultMessage, isLater: boolean): RunEnd {
  const { subtype, is_error, stop_reason, terminal_reason = "completed", session_id: sessionId } = message;
  const well =
    subtype === "success" && !is_error && goodStops.has(stop_reason) && terminal_reason === "completed";
  const span = runReference.current();
  return { well, sessionId, mayContinue: true, ...(isLater && { observationId: span }) };
}

export type { Feedback, FeedbackOptions, Minted, RunWithFeedback } from "./feedback-of-run.ts";
