import { ConfigurationError } from "../errors/afterword-error.ts";

/** What happens to a stream while it is read. */
export interface StreamWatcher<Chunk> {
  see(chunk: Chunk): void;
  /** `false` for a stream that broke, or that its reader left. */
  ended(wasReadToItsEnd: boolean): void;
  /** One more chunk before the stream closes. */
  last?(): Promise<Chunk | undefined>;
}

/**
 * The same stream, chunk for chunk and at its reader's pace, buffering nothing. A subclass of `ReadableStream` keeps its
 * methods. Throws if the stream has a reader already, and when it is read for a second time.
 */
export function watchedStream<Stream extends ReadableStream<Chunk>, Chunk = unknown>(
  stream: Stream,
  watcher: StreamWatcher<Chunk>,
): Stream {
  if (stream.locked)
    throw new ConfigurationError(
      "withFeedback: this stream has a reader already. Pass it to withFeedback first and read only its `result`.",
    );
  const reader = stream.getReader();
  const watched = new ReadableStream<Chunk>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            watcher.see(value);
            return controller.enqueue(value);
          }
          watcher.ended(true);
          const last = await watcher.last?.();
          if (last !== undefined) controller.enqueue(last);
          controller.close();
        } catch (error) {
          watcher.ended(false);
          controller.error(error);
        }
      },
      cancel(reason) {
        watcher.ended(false);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return readableOnce(withClassOf(watched as Stream, stream));
}

/** An iterator may lack `return`, and then its reader would leave it without a word. */
const leave = async () => ({ done: true, value: undefined });

/** Watches the same object, each iterator of it, and the object itself where it is one; all else on it stays as it is. */
export function watchedIterable<Source extends object>(
  source: Source,
  watcher: StreamWatcher<unknown>,
): Source {
  const members = source as Record<PropertyKey, ((...given: unknown[]) => unknown) | undefined>;
  const define = (name: PropertyKey, value: unknown) =>
    Object.defineProperty(source, name, { value, configurable: true });
  const iterate = members[Symbol.asyncIterator]?.bind(source);
  if ("next" in members)
    for (const name of ["next", "return", "throw"] as const) {
      const step = name === "return" ? (members[name] ?? leave) : members[name];
      if (step) define(name, watchedStep(step.bind(source), name, watcher));
    }
  const watched = new WeakSet<object>([source]);
  if (iterate)
    define(Symbol.asyncIterator, () => {
      const iterator = iterate() as object;
      if (watched.has(iterator)) return iterator;
      watched.add(iterator);
      return watchedIterable(iterator, watcher);
    });
  return source;
}

/** `next`, `return` or `throw` of an iterator, watched. */
const watchedStep =
  (step: (...given: unknown[]) => unknown, name: string, watcher: StreamWatcher<unknown>) =>
  async (...given: unknown[]): Promise<unknown> => {
    try {
      const taken = (await step(...given)) as IteratorResult<unknown>;
      if (taken.done) watcher.ended(name === "next");
      else watcher.see(taken.value);
      return taken;
    } catch (error) {
      watcher.ended(false);
      throw error;
    }
  };

/** LangGraph's streams are of a class of their own, with an iterator and an abort signal. */
function withClassOf<Stream extends ReadableStream>(watched: Stream, original: Stream): Stream {
  const prototype: unknown = Object.getPrototypeOf(original);
  if (prototype === ReadableStream.prototype) return watched;
  // Not the symbols, which hold the state of a stream in Node.
  const fields = Object.fromEntries(Object.entries(original));
  return Object.assign(Object.setPrototypeOf(watched, prototype as object), fields) as Stream;
}

const readings = ["getReader", "pipeTo", "pipeThrough", "tee", Symbol.asyncIterator] as const;

/** The same stream. A second reading throws: it would get nothing, and no error, from a stream that has ended. */
export function readableOnce<Stream extends ReadableStream>(stream: Stream): Stream {
  let wasRead = false;
  const over = () => {
    wasRead = true;
  };
  for (const name of readings) {
    const read = stream[name] as (...given: unknown[]) => unknown;
    const value = (...given: unknown[]) => {
      if (stream.locked || wasRead)
        throw new ConfigurationError(
          "withFeedback: this stream is read twice. Read `result` once, or split its stream first with tee().",
        );
      const reading = read.apply(stream, given);
      // A reader may leave the rest to another one, and then `closed` rejects.
      if (name === "getReader") (reading as ReadableStreamDefaultReader).closed.then(over, () => undefined);
      // LangGraph's iterator calls `getReader` later.
      else wasRead = stream.locked;
      return reading;
    };
    Object.defineProperty(stream, name, { value, configurable: true });
  }
  return stream;
}
