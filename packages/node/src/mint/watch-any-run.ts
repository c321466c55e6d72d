import { isObject } from "../options/json.ts";
import type { RunEnd, WatchRun } from "./feedback-of-run.ts";
import { EventReader, hasGoodFinish, partWatcher } from "./failure-signs.ts";
import { watchedStep, watchedStream } from "./watched-stream.ts";

type Iterable = AsyncIterable<unknown> & object;
type End = (runEnd: Pick<RunEnd, "well" | "facts" | "problem">) => void;

const isAsyncIterable = (value: unknown): value is Iterable =>
  isObject(value) && Symbol.asyncIterator in value;

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
      if (isAsyncIterable(run)) return watchIterable(run, end);
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

/** Watches only the iteration; everything else on the object, such as its promises, stays as it is. */
function watchIterable<Source extends Iterable>(source: Source, end: End): Source {
  const watcher = partWatcher(end);
  async function* iterate() {
    let wasReadToItsEnd = false;
    try {
      for await (const value of source) {
        watcher.see(value);
        yield value;
      }
      wasReadToItsEnd = true;
    } finally {
      watcher.ended(wasReadToItsEnd);
    }
  }
  return new Proxy(source, {
    get(target, property) {
      if (property === Symbol.asyncIterator) return iterate;
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...given: unknown[]) => unknown;
      return steps.has(property) ? watchedStep(bound, String(property), watcher) : bound;
    },
  });
}
