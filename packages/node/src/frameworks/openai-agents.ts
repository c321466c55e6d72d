import { ConfigurationError } from "../errors/afterword-error.ts";
import { feedbackOfRun } from "./feedback-of-run.ts";
import type { FeedbackOptions, RunWithFeedback, WatchRun } from "./feedback-of-run.ts";
import { readableOnce } from "./watched-stream.ts";
import { isObject, member } from "../options/json.ts";

/** What `withFeedback` of `@afterword/node/openai-agents` takes. */
export interface OpenAiAgentsOptions extends FeedbackOptions {
  respondentId: string;
  /** Default: the run's `groupId`, which tracing needs to be on for, or its `conversationId`. */
  sessionId?: string | undefined;
}

/** What `run()` returns, streamed or not. */
export interface OpenAiAgentsRun {
  readonly interruptions: readonly unknown[];
  readonly runContext: object;
  readonly state: object;
}

/**
 * Mints when a run of the OpenAI Agents SDK (`@openai/agents`) has ended well: with a final output, after all hand-offs,
 * and without an abort, a tripped guardrail or a reached limit of turns; a run that waits for an approval has not ended.
 * Takes what `run()` returns, streamed or not, or the promise of it, and returns the same as `result`. Throws a
 * `ConfigurationError` for anything else, and when a streamed run is read twice.
 */
export function withFeedback<Run extends OpenAiAgentsRun | PromiseLike<OpenAiAgentsRun>>(
  run: Run,
  options: OpenAiAgentsOptions,
): RunWithFeedback<Run> {
  return feedbackOfRun(run, options, watch);
}

/** What is used of a `RunResult` or a `StreamedRunResult`. */
interface AgentRun extends OpenAiAgentsRun {
  readonly cancelled?: boolean;
  readonly completed?: Promise<void>;
  readonly rawResponses?: readonly unknown[];
  toStream?(): ReadableStream<unknown>;
  readonly state: {
    _trace?: { groupId?: string | null } | null;
    _conversationId?: string;
    _lastTurnResponse?: unknown;
  };
}

const watch: WatchRun = (run, end) => {
  if (!isAgentRun(run))
    throw new ConfigurationError(
      "withFeedback of @afterword/node/openai-agents takes what run() of `@openai/agents` 0.20 returns, " +
        "or the promise of it. Pass that, or update with `npm i @openai/agents`.",
    );
  const ended = (well: boolean) =>
    end({
      well: well && hasFinalOutput(run),
      sessionId: sessionOf(run) ?? sessionAtStart,
      facts: () => factsOf(run),
    });
  // Tracing may be taken out of the state when the run ends.
  const sessionAtStart = sessionOf(run);
  void Promise.allSettled([run.completed]).then(([{ status }]) =>
    ended(status === "fulfilled" && run.cancelled !== true),
  );
  // All ways to read a streamed run lead to this one stream.
  if (run.toStream) readableOnce(run.toStream());
  return run;
};

/** Runs of version 0.0, which never end when they are aborted, have no `runContext`. */
const isAgentRun = (run: unknown): run is AgentRun =>
  isObject(run) && "runContext" in run && "interruptions" in run;

/** An error handler of the host's may end a failed run with an output, which no response of the model stands behind. */
const hasFinalOutput = ({ interruptions, state }: AgentRun): boolean =>
  interruptions.length === 0 && !("_lastTurnResponse" in state && state._lastTurnResponse === undefined);

const factsOf = (run: AgentRun) => ({
  steps: run.rawResponses?.length,
  inputTokens: member(run.runContext, "usage", "inputTokens"),
  outputTokens: member(run.runContext, "usage", "outputTokens"),
  model: member(run, "lastAgent", "model"),
});

const sessionOf = ({ state }: AgentRun): string | undefined =>
  state._trace?.groupId ?? state._conversationId ?? undefined;

export type { Feedback, FeedbackOptions, Minted, RunWithFeedback } from "./feedback-of-run.ts";
