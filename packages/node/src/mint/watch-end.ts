/** A result, and whether what it stands for came to its end; a stream that breaks off or is cancelled did not. */
export interface WatchedResult<Result> {
  result: Result;
  ended: Promise<boolean>;
}

type Iterable = AsyncIterable<unknown> & object;

const isAsyncIterable = (value: unknown): value is Iterable =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/**
 * Watches streams (`ReadableStream`, a `Response` with a body, async iterables); anything else has ended already, unless
 * `end` gives the promise of its end. Never throws: what cannot be watched is handed on as it is, and has not ended well.
 */
export function watchEnd<Result>(
  result: Result,
  end?: (result: Result) => PromiseLike<unknown>,
  onUnwatchable: () => void = () => undefined,
): WatchedResult<Result> {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  if (end) {
    endOf(result, end).then(
      () => resolve(true),
      () => resolve(false),
    );
    return { result, ended };
  }
  try {
    const watched = watchedWith(result, resolve);
    if (watched === undefined) resolve(true);
    return { result: (watched ?? result) as Result, ended };
  } catch {
    // A stream that somebody reads already, for example.
    onUnwatchable();
    resolve(false);
    return { result, ended };
  }
}

/** Also rejects when `end` itself throws. */
async function endOf<Result>(result: Result, end: (result: Result) => PromiseLike<unknown>): Promise<void> {
  await end(result);
}

function watchedWith(result: unknown, resolve: (well: boolean) => void): unknown {
  if (result instanceof ReadableStream) return watchStream(result, resolve);
  if (result instanceof Response) {
    // A refusal is an answer too, but not a task that ended well.
    if (!result.body || !result.ok) return void resolve(result.ok);
    return new Response(watchStream(result.body, resolve), result);
  }
  return isAsyncIterable(result) ? watchIterable(result, resolve) : undefined;
}

/** Chunks pass as they are asked for; no more than one is held. */
function watchStream(
  stream: ReadableStream<unknown>,
  resolve: (well: boolean) => void,
): ReadableStream<unknown> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        resolve(true);
      } catch (error) {
        resolve(false);
        controller.error(error);
      }
    },
    cancel(reason) {
      resolve(false);
      return reader.cancel(reason);
    },
  });
}

/** An iterator is also read by hand: its end shows in what `next` gives, and `return` and `throw` break it off. */
function watchedStep(step: (...given: unknown[]) => unknown, name: string, resolve: (well: boolean) => void) {
  return async (...given: unknown[]): Promise<unknown> => {
    try {
      const taken = (await step(...given)) as IteratorResult<unknown>;
      if (taken.done) resolve(name === "next");
      return taken;
    } catch (error) {
      resolve(false);
      throw error;
    }
  };
}

const steps = new Set<PropertyKey>(["next", "return", "throw"]);

/** Only the iteration is watched: everything else of the object, such as its other promises, stays as it is. */
function watchIterable<Source extends Iterable>(source: Source, resolve: (well: boolean) => void): Source {
  async function* iterate() {
    let well = false;
    try {
      for await (const value of source) yield value;
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
