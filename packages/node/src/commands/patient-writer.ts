import { once } from "node:events";
import type { Writable } from "node:stream";

/**
 * Writes to a stream; where its reader is slower, the promise holds up whoever writes much, so that the rest of an
 * export waits at the service and not in memory. A reader that has gone away interrupts the program.
 */
export function patientWriter(
  stream: Writable,
  interrupted: AbortController,
): (text: string) => void | Promise<void> {
  stream.on("error", () => interrupted.abort());
  return (text) => {
    if (!stream.writable || stream.write(text)) return undefined;
    // Nobody waits for a stream that fails meanwhile, nor when the program is to end.
    return once(stream, "drain", { signal: interrupted.signal }).then(nothing, nothing);
  };
}

const nothing = () => undefined;
