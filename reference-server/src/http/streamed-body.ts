import { type StreamedReply } from "./handlers.ts";
import { Spool } from "./spool.ts";

const secondInMs = 1000;
/** A client that reads slower than this for half a minute is disconnected (decision D110). */
const slowestBytesPerSecond = 1024;
const patienceInMs = 30 * secondInMs;
/** Maximum duration of a reply, which occupies an export slot and disk space. */
const longestInMs = 60 * 60 * secondInMs;

export type Timer = (run: () => void, delayInMs: number) => { clear: () => void };

const systemTimer: Timer = (run, delayInMs) => {
  const timer = setTimeout(run, delayInMs);
  timer.unref();
  return { clear: () => clearTimeout(timer) };
};

/**
 * Streams a reply at the client's pace. The source is read to its end at once and released, so that a slow client does
 * not hold the database.
 */
export function streamedBody(
  { chunks, release, close, signal, cut, folder }: StreamedReply,
  startTimer: Timer = systemTimer,
): ReadableStream<Uint8Array> {
  const spool = new Spool(folder);
  // A failed release is repeated at the end of the connection.
  const released = () => release().catch(() => undefined);
  void spool.fill(chunks).then(released);
  const iterator = spool.chunks();
  let limit: { clear: () => void } | undefined;
  let deadline: { clear: () => void } | undefined;
  let isOver = false;
  const end = async () => {
    deadline?.clear();
    limit?.clear();
    if (isOver) return;
    isOver = true;
    await released();
    await spool.close();
    close();
  };
  if (signal.aborted) void end();
  else signal.addEventListener("abort", () => void end(), { once: true });
  /** Cuts the connection, because a truncated document must not look complete. */
  const fail = async (controller: ReadableStreamDefaultController, error: unknown) => {
    controller.error(error);
    await end();
  };
  const start = (controller: ReadableStreamDefaultController) => {
    cut.addEventListener("abort", () => void fail(controller, cut.reason), { once: true });
    limit = startTimer(() => void fail(controller, new Error("The reader takes too long.")), longestInMs);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    deadline?.clear();
    try {
      const { done, value } = await iterator.next();
      if (isOver) return;
      if (done) {
        await end();
        return controller.close();
      }
      const allowedInMs = Math.max(patienceInMs, (value.length / slowestBytesPerSecond) * secondInMs);
      deadline = startTimer(() => void fail(controller, new Error("The reader is too slow.")), allowedInMs);
      controller.enqueue(value);
    } catch (error) {
      await fail(controller, error);
    }
  };
  return new ReadableStream<Uint8Array>({ start, pull, cancel: end }, { highWaterMark: 0 });
}
