import type { RunFacts } from "@afterword/protocol";
import { isObject } from "../options/json.ts";
import type { WatchRun } from "./feedback-of-run.ts";
import { EventReader, hasGoodFinish, PartReader } from "./failure-signs.ts";
import { watchedStream } from "./watched-stream.ts";

type Iterable = AsyncIterable<unknown> & object;
type End = (well: boolean, facts?: RunFacts) => void;

const isAsyncIterable = (value: unknown): value is Iterable =>
  isObject(value) && Symbol.asyncIterator in value;

/**
 * Watches streams (`ReadableStream`, a `Response` with a body, async iterables) unless `endOf` gives the promise of their
 * end; anything else ends with its `finishReason`, or has ended already. A run that cannot be watched is returned as it is
 * and counts as failed.
 */
export function watchAnyRun(endOf: ((result: never) => PromiseLike<unknown>) | undefined): WatchRun {
  return (run, ended) => {
    const end: End = (well, facts) => ended({ well, facts });
    if (endOf) {
      // Asynchronous, since `endOf` itself may throw.
      const endsWell = async () => (await endOf(run as never)) !== false && (await hasGoodFinish(run));
      endsWell().then(end, () => end(false));
      return run;
    }
    try {
      if (run instanceof ReadableStream) return watchStream(run, end);
      if (run instanceof Response) return watchResponse(run, end);
      if (isAsyncIterable(run)) return watchIterable(run, end);
    } catch (error) {
      // For example a stream that has a reader already.
      ended({ well: false, problem: error as Error });
      return run;
    }
    hasGoodFinish(run).then(end, () => end(false));
    return run;
  };
}

function watchResponse(response: Response, end: End): Response {
  const { body, ok, headers } = response;
  if (body && ok) {
    const isEventStream = headers.get("content-type")?.startsWith("text/event-stream");
    const events = new EventReader();
    const partsIn = isEventStream ? (chunk: unknown) => events.partsIn(chunk as Uint8Array) : undefined;
    return new Response(watchStream(body, end, partsIn), response);
  }
  end(ok);
  return response;
}

/** Its failed parts count as its end. */
function watchStream(
  stream: ReadableStream<unknown>,
  end: End,
  partsIn = (chunk: unknown): unknown[] => [chunk],
): ReadableStream<unknown> {
  const reader = new PartReader();
  return watchedStream(stream, {
    see(chunk) {
      for (const part of partsIn(chunk)) reader.see(part);
      if (reader.hasFailed) end(false, reader.facts);
    },
    ended: (wasReadToItsEnd) => end(wasReadToItsEnd && reader.hasEndedWell, reader.facts),
  });
}

/** Watches an iterator that is read by hand: `next` shows its end, `return` and `throw` break it off. */
function watchedStep(step: (...given: unknown[]) => unknown, name: string, reader: PartReader, end: End) {
  return async (...given: unknown[]): Promise<unknown> => {
    try {
      const taken = (await step(...given)) as IteratorResult<unknown>;
      if (taken.done) end(name === "next" && reader.hasEndedWell, reader.facts);
      else reader.see(taken.value);
      if (reader.hasFailed) end(false, reader.facts);
      return taken;
    } catch (error) {
      end(false);
      throw error;
    }
  };
}

const steps = new Set<PropertyKey>(["next", "return", "throw"]);

/** Watches only the iteration; everything else on the object, such as its promises, stays as it is. */
function watchIterable<Source extends Iterable>(source: Source, end: End): Source {
  const reader = new PartReader();
  async function* iterate() {
    let well = false;
    try {
      for await (const value of source) {
        reader.see(value);
        if (reader.hasFailed) end(false, reader.facts);
        yield value;
      }
      well = reader.hasEndedWell;
    } finally {
      end(well, reader.facts);
    }
  }
  return new Proxy(source, {
    get(target, property) {
      if (property === Symbol.asyncIterator) return iterate;
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...given: unknown[]) => unknown;
      return steps.has(property) ? watchedStep(bound, String(property), reader, end) : bound;
    },
  });
}
