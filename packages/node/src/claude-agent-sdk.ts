import { ConfigurationError } from "./errors/configuration-error.ts";
import {
  feedbackOfRun,
  type FeedbackOptions,
  type RunEnd,
  type RunWithFeedback,
  type WatchRun,
} from "./mint/feedback-of-run.ts";
import { runReferenceIn } from "./scores/run-reference.ts";

export interface ClaudeAgentOptions extends FeedbackOptions {
  respondentId: string;
  /** Default: the `session_id` of the messages. */
  sessionId?: string;
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
  return feedbackOfRun(run, options, globalThis, watch);
}

/** What is used of a `result` message. */
interface ResultMessage {
  type: "result";
  subtype: string;
  is_error: boolean;
  stop_reason?: string | null;
  terminal_reason?: string;
  session_id: string;
}

const watch: WatchRun = (run, end) => {
  if (!isQuery(run))
    throw new ConfigurationError(
      "withFeedback of @afterword/node/claude-agent-sdk takes what query() of `@anthropic-ai/claude-agent-sdk` returns.",
    );
  let turns = 0;
  const see = (message: unknown) => {
    if (!isResult(message)) return;
    end(turnEnd(message, turns > 0));
    turns += 1;
  };
  const over = () => turns === 0 && end({ well: false });
  // All ways to read a query lead to this one generator.
  watchIterator(run[Symbol.asyncIterator](), see, over);
  return run;
};

function watchIterator(
  iterator: AsyncIterator<unknown>,
  see: (message: unknown) => void,
  over: () => void,
): void {
  for (const name of ["next", "return", "throw"] as const) {
    const step = iterator[name]?.bind(iterator) as
      ((...given: unknown[]) => Promise<IteratorResult<unknown>>) | undefined;
    if (!step) continue;
    let isOver = false;
    const value = async (...given: unknown[]) => {
      if (isOver && name === "next") throw readTwice();
      try {
        const taken = await step(...given);
        if (taken.done) over();
        else see(taken.value);
        isOver = taken.done === true;
        return taken;
      } catch (error) {
        over();
        throw error;
      }
    };
    Object.defineProperty(iterator, name, { value, configurable: true });
  }
}

const readTwice = () =>
  new ConfigurationError(
    "withFeedback: this query is read twice, and has nothing more to give. Read its messages once.",
  );

const isQuery = (run: unknown): run is AsyncIterable<unknown> =>
  typeof run === "object" && run !== null && Symbol.asyncIterator in run;

const isResult = (message: unknown): message is ResultMessage =>
  typeof message === "object" && message !== null && "type" in message && message.type === "result";

const goodStops: ReadonlySet<unknown> = new Set(["end_turn", "stop_sequence", null, undefined]);

/** The span that is active at the start belongs to the first turn. */
function turnEnd(message: ResultMessage, isLater: boolean): RunEnd {
  const { subtype, is_error, stop_reason, terminal_reason = "completed", session_id: sessionId } = message;
  const well =
    subtype === "success" && !is_error && goodStops.has(stop_reason) && terminal_reason === "completed";
  const span = runReferenceIn(globalThis).current();
  return { well, sessionId, mayContinue: true, ...(isLater && { observationId: span }) };
}

export type { Minted } from "./client/client.ts";
export type { FeedbackOptions, RunWithFeedback } from "./mint/feedback-of-run.ts";
export type { Feedback } from "./mint/mint-for-run.ts";
