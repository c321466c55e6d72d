import { isObject, parseJson } from "../options/json.ts";
import { hasGoodFinish, partWatcher } from "./ai-sdk-parts.ts";
import { feedbackOfRun, type GivenRun, type WatchRun } from "./feedback-of-run.ts";
import type { FeedbackOptions, RunEnd, RunWithFeedback } from "./feedback-of-run.ts";
import { watchedIterable, watchedStream } from "./watched-stream.ts";

/** What `withFeedback` of `@afterword/node` takes. */
export interface WithFeedbackOptions<Run> extends FeedbackOptions {
  respondentId: string;
  sessionId: string;
  /**
   * For a result that is read in a way of its own (such as `toReadableStream()`): a promise that rejects, or fulfils with
   * `false`, when the run failed; for example `(run) => run.completed`. Default: `ReadableStream`, `Response` and async
   * iterables are watched while they are read, a result with a `finishReason` (AI SDK) ends with that, and anything else
   * has ended.
   */
  end?: ((result: Awaited<Run>) => PromiseLike<unknown>) | undefined;
}

/**
 * Mints when the run of any agent has ended well. Takes the run, or the promise of it, and returns the same as `result`: a
 * stream, an async iterable or a `Response` is watched while it is read; one that is empty, breaks off or is left early
 * mints nothing. The frameworks have entry points of their own, which know more about their runs.
 * @example
 * const ids = { respondentId: "user-17", sessionId: "run-2041" };
 * const { result, feedback } = withFeedback(fetch("/agent"), { client: new Afterword(), ...ids });
 * const { tokens } = (await feedback) ?? { tokens: {} }; // once `result` has been read to its end
 */
export function withFeedback<Run extends object>(
  run: GivenRun<Run>,
  options: WithFeedbackOptions<Run>,
): RunWithFeedback<Run> {
  return feedbackOfRun<Run>(run, options, watchRun(options.end));
}

/** A run that cannot be watched is returned as it is and counts as failed. */
function watchRun(endOf: ((result: never) => PromiseLike<unknown>) | undefined): WatchRun {
  return (run, end) => {
    // Asynchronous, since `endOf` itself may throw.
    const ended = async () => ({
      well: (await endOf?.(run as never)) !== false && (await hasGoodFinish(run)),
    });
    try {
      if (endOf) end(ended());
      else if (run instanceof ReadableStream) return watchedStream(run, partWatcher(end));
      else if (run instanceof Response) return watchResponse(run, end);
      else if (isObject(run) && Symbol.asyncIterator in run) return watchedIterable(run, partWatcher(end));
      else end(ended());
    } catch (error) {
      // For example a stream that has a reader already.
      end({ well: false, problem: error as Error });
    }
    return run;
  };
}

function watchResponse(response: Response, end: (runEnd: RunEnd) => void): Response {
  const { body, ok, headers } = response;
  if (body && ok) {
    const watcher = partWatcher(end);
    const partsIn = eventReader();
    const see = (chunk: Uint8Array) => partsIn(chunk).forEach((part) => watcher.see(part));
    const isEventStream = headers.get("content-type")?.startsWith("text/event-stream");
    return new Response(watchedStream(body, isEventStream ? { ...watcher, see } : watcher), response);
  }
  end({ well: ok });
  return response;
}

/** Finds the parts in server-sent events, whose lines may be spread over several chunks. */
function eventReader(): (chunk: Uint8Array) => unknown[] {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    const events = lines.filter((line) => line.startsWith("data: {"));
    return events.map((line) => parseJson(line.slice("data: ".length)));
  };
}
