import { type StreamedReply } from "./handlers.ts";

const secondInMs = 1000;
/** A reader slower than this for half a minute is cut, so that it cannot hold the snapshot (decision D110). */
const slowestBytesPerSecond = 1024;
const patienceInMs = 30 * secondInMs;

export type Timer = (run: () => void, delayInMs: number) => { clear: () => void };

const systemTimer: Timer = (run, delayInMs) => {
  const timer = setTimeout(run, delayInMs);
  timer.unref();
  return { clear: () => clearTimeout(timer) };
};

/** Pulls one chunk at a time, so that a slow reader holds one page in memory and not the export. */
export function streamedBody(
  { chunks, close }: StreamedReply,
  startTimer: Timer = systemTimer,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let deadline: { clear: () => void } | undefined;
  let isOver = false;
  const end = async () => {
    deadline?.clear();
    if (isOver) return;
    isOver = true;
    await close();
  };
  /** The connection is cut: a document that ends early must not look complete. */
  const fail = async (controller: ReadableStreamDefaultController, error: unknown) => {
    controller.error(error);
    await end();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    deadline?.clear();
    try {
      const { done, value } = await iterator.next();
      if (done) {
        await end();
        return controller.close();
      }
      const bytes = encoder.encode(value);
      const allowedInMs = Math.max(patienceInMs, (bytes.length / slowestBytesPerSecond) * secondInMs);
      deadline = startTimer(() => void fail(controller, new Error("The reader is too slow.")), allowedInMs);
      controller.enqueue(bytes);
    } catch (error) {
      await fail(controller, error);
    }
  };
  return new ReadableStream<Uint8Array>({ pull, cancel: end }, { highWaterMark: 0 });
}
