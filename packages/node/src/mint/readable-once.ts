import { ConfigurationError } from "../errors/configuration-error.ts";

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
      if (stream.locked || wasRead) throw readTwice();
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

const readTwice = () =>
  new ConfigurationError(
    "withFeedback: this stream is read twice. Read `result` once, or split its stream first with tee().",
  );
