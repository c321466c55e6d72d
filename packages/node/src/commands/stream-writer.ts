import { once } from "node:events";
import type { Writable } from "node:stream";

/**
 * Writes to a stream with back-pressure: the promise resolves when the reader has caught up, so that the rest of an
 * export waits at the service and not in memory. A closed stream interrupts the program.
 */
export function streamWriter(
  stream: Writable,
  interrupted: AbortController,
): (text: string) => void | Promise<void> {
  stream.on("error", () => interrupted.abort());
  return (text) => {
    if (!stream.writable || stream.write(text)) return undefined;
    // Does not wait for a stream that fails, nor after an interrupt.
    return once(stream, "drain", { signal: interrupted.signal }).then(nothing, nothing);
  };
}

const nothing = () => undefined;
