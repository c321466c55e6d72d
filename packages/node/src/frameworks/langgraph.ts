import { ConfigurationError } from "../errors/afterword-error.ts";
import { feedbackOfRun, type GivenRun, type WatchRun } from "./feedback-of-run.ts";
import type { FeedbackOptions, RunEnd, RunWithFeedback } from "./feedback-of-run.ts";
import { watchedStream } from "./watched-stream.ts";
import { isObject, member } from "../options/json.ts";

/** What is used of a compiled graph, local or remote. */
export interface RatedGraph {
  /** A graph without one cannot wait for a person. */
  checkpointer?: unknown;
  getState(config: never): PromiseLike<{ next: readonly unknown[]; values?: unknown }>;
}

/** What `withFeedback` of `@afterword/node/langgraph` takes. */
export interface LangGraphOptions extends FeedbackOptions {
  graph: RatedGraph;
  /** What the run was started with. */
  config: { configurable?: Record<string, unknown> };
  /** Default: `user_id` of the configuration, or the platform's `langgraph_auth_user_id`. */
  respondentId?: string | undefined;
  /** Default: `thread_id` of the configuration. */
  sessionId?: string | undefined;
}

/**
 * Mints when a run of a LangGraph graph (`@langchain/langgraph` 1) has ended well: it reached its end and waits at no
 * interrupt or breakpoint; a limit of recursion, an abort or a node that throws is a failure. Takes what `stream`, `invoke` or
 * `streamEvents` returns, or the promise of it, and returns the same as `result`. Throws a `ConfigurationError` without the
 * graph and its configuration.
 */
export function withFeedback<Run extends object>(
  run: GivenRun<Run>,
  options: LangGraphOptions,
): RunWithFeedback<Run> {
  const { graph, config, respondentId, sessionId } = options;
  if (typeof graph?.getState !== "function" || typeof config !== "object")
    throw new ConfigurationError(
      "withFeedback of @afterword/node/langgraph needs `graph`, a compiled graph of `@langchain/langgraph` 1, and " +
        "the `config` that the run was started with.",
    );
  const { user_id, langgraph_auth_user_id, thread_id } = config.configurable ?? {};
  const ids = {
    respondentId: respondentId ?? text(user_id ?? langgraph_auth_user_id),
    sessionId: sessionId ?? text(thread_id),
  };
  return feedbackOfRun(run, { ...options, ...ids }, watchRun(graph, config));
}

function watchRun(graph: RatedGraph, config: object): WatchRun {
  return (run, end) => {
    const ended = (hasReturned: boolean) => end(endOf(graph, config, hasReturned));
    if (run instanceof ReadableStream) return watchedStream(run, { see: () => undefined, ended });
    const output = isRunStream(run) ? run.output : undefined;
    void Promise.allSettled([output]).then(([{ status }]) => ended(status === "fulfilled"));
    return run;
  };
}

/** The stored state shows breakpoints and interrupts, which not every mode of streaming does. */
async function endOf(graph: RatedGraph, config: object, hasReturned: boolean): Promise<RunEnd> {
  if ("checkpointer" in graph && !graph.checkpointer) return { well: hasReturned };
  const { next, values } = await graph.getState(config as never);
  return { well: hasReturned && next.length === 0, facts: () => messageFacts(values) };
}

/** What the messages since the person's last one say, if the graph's state has messages. */
function messageFacts(state: unknown) {
  const messages = member(state, "messages");
  if (!Array.isArray(messages)) return {};
  const turn = messages.slice(messages.findLastIndex((message) => member(message, "type") === "human") + 1);
  const ofModel = turn.filter((message) => member(message, "type") === "ai");
  const sum = (name: string) =>
    ofModel.reduce((total: number, message) => total + Number(member(message, "usage_metadata", name)), 0);
  return {
    steps: ofModel.length,
    toolErrors: turn.filter((message) => member(message, "status") === "error").length,
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    model: member(ofModel.at(-1), "response_metadata", "model_name"),
    finishReason: member(ofModel.at(-1), "response_metadata", "finish_reason"),
  };
}

const text = (id: unknown): string | undefined => (id === undefined ? undefined : String(id));

/** Of `streamEvents` in version 3. */
const isRunStream = (run: unknown): run is { output: Promise<unknown> } =>
  isObject(run) && "interrupted" in run && "output" in run;

export type { Feedback, FeedbackOptions, Minted, RunWithFeedback } from "./feedback-of-run.ts";
