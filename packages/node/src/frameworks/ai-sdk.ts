import { runDataPart, runMetadataKey } from "@afterword/protocol";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { hasGoodFinish, partWatcher, resultFacts } from "./ai-sdk-parts.ts";
import { feedbackOfRun, handedOver } from "./feedback-of-run.ts";
import type { Feedback, FeedbackOptions, RunEnd, RunWithFeedback, WatchRun } from "./feedback-of-run.ts";
import { watchedStream } from "./watched-stream.ts";
import { isObject } from "../options/json.ts";

/** What `withFeedback` of `@afterword/node/ai-sdk` takes. */
export interface AiSdkOptions extends FeedbackOptions {
  respondentId: string;
  sessionId: string;
  /**
   * Where a stream for a page carries the run: in the message's `metadata.afterword`, or in a part of type
   * `data-afterword`. Both hold a `HandedOverRun`. Default `metadata`.
   */
  carryIn?: "metadata" | "data-part" | undefined;
}

/** What `streamText` or `generateText` returns, or a stream of their parts or of chunks for a page. */
export type AiSdkRun = ReadableStream<{ readonly type: string }> | { readonly finishReason: unknown };

/**
 * Mints when a run of the AI SDK (`ai` 7) has ended well: it stopped by itself, without an error or an abort, and waits for
 * no tool and no approval. Takes what `streamText` or `generateText` returns, a stream of its parts, or a stream for a page
 * (`toUIMessageStream`, `createAgentUIStream`), and returns it as `result`. A stream for a page gets one more chunk with
 * the run before it closes, at most two seconds after its end. A stream that ends without its `finish` was cut and mints
 * nothing. Throws a `ConfigurationError` for anything else.
 */
export function withFeedback<Run extends AiSdkRun | PromiseLike<AiSdkRun>>(
  run: Run,
  options: AiSdkOptions,
): RunWithFeedback<Run> {
  return feedbackOfRun(run, options, watchRun(options));
}

type Part = Record<string, unknown>;

/** What is used of the result of `streamText`; every other stream and promise of it reads `stream`. */
interface StreamResult {
  readonly stream: ReadableStream<Part>;
  toUIMessageStream(...given: unknown[]): ReadableStream<Part>;
}

const isStreamResult = (run: unknown): run is StreamResult =>
  isObject(run) && "stream" in run && "toUIMessageStream" in run;

/** Of streamText of `ai` 4 to 6. */
const isOlderResult = (run: object): boolean => "toUIMessageStream" in run || "toDataStream" in run;

const noRun = () =>
  new ConfigurationError(
    "withFeedback of @afterword/node/ai-sdk takes a run of `ai` 7: the result of streamText or generateText, " +
      "or a stream of either. Update with `npm i ai@7`, or pass the stream of parts and not text or a Response made of it.",
  );

function watchRun({ carryIn = "metadata" }: AiSdkOptions): WatchRun {
  return (run, end, feedback) => {
    const last = async () => chunkOf(await feedback, carryIn);
    const watched = (stream: ReadableStream<Part>) => watchParts(stream, end, last);
    if (run instanceof ReadableStream) return watched(run as ReadableStream<Part>);
    if (isStreamResult(run)) return watchStreamResult(run, watched);
    if (!isObject(run) || !("finishReason" in run) || isOlderResult(run)) throw noRun();
    end(hasGoodFinish(run).then((well) => ({ well, facts: () => resultFacts(run) })));
    return run;
  };
}

/** The same object, of which two members are watched: all others read those. */
function watchStreamResult(run: StreamResult, watched: (stream: ReadableStream<Part>) => ReadableStream) {
  const prototype = Object.getPrototypeOf(run) as StreamResult;
  const { toUIMessageStream } = run;
  Object.defineProperties(run, {
    stream: {
      get: () => watched(Reflect.get(prototype, "stream", run) as ReadableStream<Part>),
      configurable: true,
    },
    toUIMessageStream: {
      value: (...given: unknown[]) => watched(toUIMessageStream.apply(run, given)),
      configurable: true,
    },
  });
  return run;
}

function watchParts(
  stream: ReadableStream<Part>,
  end: (runEnd: RunEnd) => void,
  last: () => Promise<Part | undefined>,
): ReadableStream<Part> {
  const watcher = partWatcher(end, { mustFinish: true });
  let isForPage = false;
  return watchedStream(stream, {
    ...watcher,
    see(part) {
      // Text and bytes do not show how the run ends.
      if (!isObject(part) || !("type" in part)) return end({ well: false, problem: noRun() });
      watcher.see(part);
      isForPage ||= isChunkForPage(part);
    },
    last: async () => (isForPage ? await last() : undefined),
  });
}

/** The two kinds of streams differ in what their text and their end consist of. */
const isChunkForPage = (part: Part): boolean =>
  (part["type"] === "text-delta" && "delta" in part) ||
  (part["type"] === "finish" && !("totalUsage" in part));

/** `undefined` when there is nothing to ask. */
function chunkOf(feedback: Feedback | undefined, carryIn: "metadata" | "data-part"): Part | undefined {
  if (!feedback || feedback.gated) return undefined;
  const run = handedOver(feedback);
  return carryIn === "data-part"
    ? { type: runDataPart, data: run }
    : { type: "message-metadata", messageMetadata: { [runMetadataKey]: run } };
}

export {
  feedbackTool,
  type FeedbackTool,
  type FeedbackToolInput,
  type FeedbackToolOptions,
  type FeedbackWish,
} from "./feedback-tool.ts";
export { runDataPart, runMetadataKey, type HandedOverRun } from "@afterword/protocol";
export type { Feedback, FeedbackOptions, Minted, RunWithFeedback } from "./feedback-of-run.ts";
