import { EventStreamReader, hasGoodFinish, isFailedPart } from "./failure-signs.ts";
import { watchedStream } from "./watched-stream.ts";

/** A result, and whether its run succeeded; a stream that breaks off, is cancelled or reports a failure did not. */
export interface WatchedResult<Result> {
  result: Result;
  ended: Promise<boolean>;
}

type Iterable = AsyncIterable<unknown> & object;

const isAsyncIterable = (value: unknown): value is Iterable =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/**
 * Watches streams (`ReadableStream`, a `Response` with a body, async iterables) unless `end` gives the promise of their
 * end; anything else ends with its `finishReason`, or has ended already. Never throws: a result that cannot be watched
 * is returned as it is and counts as failed.
 */
export function watchEnd<Result>(
  result: Result,
  end?: (result: Result) => PromiseLike<unknown>,
  onUnwatchable: () => void = () => undefined,
): WatchedResult<Result> {
  if (end) {
    // Asynchronous, since `end` itself may throw.
    const endsWell = async () => (await end(result)) !== false && (await hasGoodFinish(result));
    return { result, ended: endsWell().catch(() => false) };
  }
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  try {
    const watched = watchedWith(result, resolve);
    if (watched === undefined) return { result, ended: hasGoodFinish(result).catch(() => false) };
    return { result: watched as Result, ended };
  } catch {
    // For example a stream that has a reader already.
    onUnwatchable();
    resolve(false);
    return { result, ended };
  }
}

/** `undefined` for a result that is no stream. */
function watchedWith(result: unknown, resolve: (well: boolean) => void): unknown {
  if (result instanceof ReadableStream) return watchStream(result, isFailedPart, resolve);
  if (result instanceof Response) {
    if (!result.body || !result.ok) {
      resolve(result.ok);
      return result;
    }
    const events = new EventStreamReader();
    const isEventStream = result.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const isFailed = (chunk: unknown) => isEventStream && events.hasFailedPart(chunk);
    return new Response(watchStream(result.body, isFailed, resolve), result);
  }
  return isAsyncIterable(result) ? watchIterable(result, resolve) : undefined;
}

/** Its failed parts count as its end. */
const watchStream = (
  stream: ReadableStream<unknown>,
  isFailed: (chunk: unknown) => boolean,
  resolve: (well: boolean) => void,
) =>
  watchedStream(stream, {
    ended: resolve,
    see(chunk) {
      if (isFailed(chunk)) resolve(false);
    },
  });

/** Watches an iterator that is read by hand: `next` shows its end, `return` and `throw` break it off. */
function watchedStep(step: (...given: unknown[]) => unknown, name: string, resolve: (well: boolean) => void) {
  return async (...given: unknown[]): Promise<unknown> => {
    try {
      const taken = (await step(...given)) as IteratorResult<unknown>;
      if (taken.done) resolve(name === "next");
      else if (isFailedPart(taken.value)) resolve(false);
      return taken;
    } catch (error) {
      resolve(false);
      throw error;
    }
  };
}

const steps = new Set<PropertyKey>(["next", "return", "throw"]);

/** Watches only the iteration; everything else on the object, such as its promises, stays as it is. */
function watchIterable<Source extends Iterable>(source: Source, resolve: (well: boolean) => void): Source {
  async function* iterate() {
    let well = false;
    try {
      for await (const value of source) {
        if (isFailedPart(value)) resolve(false);
        yield value;
      }
      well = true;
    } finally {
      resolve(well);
    }
  }
  return new Proxy(source, {
    get(target, property) {
      if (property === Symbol.asyncIterator) return iterate;
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...given: unknown[]) => unknown;
      return steps.has(property) ? watchedStep(bound, String(property), resolve) : bound;
    },
  });
}
