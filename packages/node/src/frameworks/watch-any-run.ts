import { isObject } from "../options/json.ts";
import type { RunEnd, WatchRun } from "./feedback-of-run.ts";
import { EventReader, hasGoodFinish, partWatcher } from "./ai-sdk-parts.ts";
import { watchedIterable, watchedStream } from "./watched-stream.ts";

type End = (runEnd: Pick<RunEnd, "well" | "facts" | "problem">) => void;

/**
 * Watches streams (`ReadableStream`, a `Response` with a body, async iterables) unless `endOf` gives the promise of their
 * end; anything else ends with its `finishReason`, or has ended already. A run that cannot be watched is returned as it is
 * and counts as failed.
 */
export function watchAnyRun(endOf: ((result: never) => PromiseLike<unknown>) | undefined): WatchRun {
  return (run, end) => {
    const ended = (well: boolean) => end({ well });
    if (endOf) {
      // Asynchronous, since `endOf` itself may throw.
      const endsWell = async () => (await endOf(run as never)) !== false && (await hasGoodFinish(run));
      endsWell().then(ended, () => ended(false));
      return run;
    }
    try {
      if (run instanceof ReadableStream) return watchedStream(run, partWatcher(end));
      if (run instanceof Response) return watchResponse(run, end);
      if (isObject(run) && Symbol.asyncIterator in run) return watchedIterable(run, partWatcher(end));
    } catch (error) {
      // For example a stream that has a reader already.
      end({ well: false, problem: error as Error });
      return run;
    }
    hasGoodFinish(run).then(ended, () => ended(false));
    return run;
  };
}

function watchResponse(response: Response, end: End): Response {
  const { body, ok, headers } = response;
  if (body && ok) {
    const watcher = partWatcher(end);
    const events = new EventReader();
    const see = (chunk: Uint8Array) => {
      for (const part of events.partsIn(chunk)) watcher.see(part);
    };
    const isEventStream = headers.get("content-type")?.startsWith("text/event-stream");
    return new Response(watchedStream(body, isEventStream ? { ...watcher, see } : watcher), response);
  }
  end({ well: ok });
  return response;
}
