import { type StreamedReply } from "./handlers.ts";
import { Spool } from "./spool.ts";

const secondInMs = 1000;
/** A reader slower than this for half a minute is cut (decision D110). */
const slowestBytesPerSecond = 1024;
const patienceInMs = 30 * secondInMs;
/** Longer than this no reply takes, at whatever rate: it keeps a place and room on the disk. */
const longestInMs = 60 * 60 * secondInMs;

export type Timer = (run: () => void, delayInMs: number) => { clear: () => void };

const systemTimer: Timer = (run, delayInMs) => {
  const timer = setTimeout(run, delayInMs);
  timer.unref();
  return { clear: () => clearTimeout(timer) };
};

/**
 * Gives the chunks of a reply at the reader's pace. The source is read to its end at once and released, so that a slow
 * reader holds text and not the database.
 */
export function streamedBody(
  { chunks, release, close, signal, folder }: StreamedReply,
  startTimer: Timer = systemTimer,
): ReadableStream<Uint8Array> {
  const spool = new Spool(folder);
  // What cannot be given back now is given back with the connection's end.
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
  /** The connection is cut: a document that ends early must not look complete. */
  const fail = async (controller: ReadableStreamDefaultController, error: unknown) => {
    controller.error(error);
    await end();
  };
  const start = (controller: ReadableStreamDefaultController) => {
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
