import { isObject } from "../options/json.ts";
import type { RunEnd, WatchRun } from "./feedback-of-run.ts";
import { EventReader, hasGoodFinish, partWatcher } from "./ai-sdk-parts.ts";
import { type StreamWatcher, watchedStep, watchedStream } from "./watched-stream.ts";

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
      if (isObject(run) && Symbol.asyncIterator in run) return watchIterable(run, partWatcher(end));
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

const steps = new Set<PropertyKey>(["next", "return", "throw"]);

/** An iterator may lack `return`, and then its reader would leave it without a word. */
const leave = async () => ({ done: true, value: undefined });

/** Watches only the iteration; everything else on the object, such as its promises, stays as it is. */
function watchIterable<Source extends object>(source: Source, watcher: StreamWatcher<unknown>): Source {
  return new Proxy(source, {
    get(target, property) {
      const value: unknown =
        Reflect.get(target, property, target) ?? (property === "return" ? leave : undefined);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...given: unknown[]) => unknown;
      if (property === Symbol.asyncIterator) return () => watchIterable(bound() as object, watcher);
      return steps.has(property) ? watchedStep(bound, String(property), watcher) : bound;
    },
  });
}
