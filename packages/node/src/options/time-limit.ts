import type { Clock } from "./clock.ts";

/** Resolves once the signal is aborted: raced with work that may heed no signal. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/**
 * Runs work whose signal is aborted after a delay or with the caller's. Rejects then, after the delay with a `TimeoutError` of
 * the platform, even if the work heeds no signal. The signal stays open after work that was in time.
 */
export async function withTimeout<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  delayInMs: number,
  clock: Clock,
  signal = new AbortController().signal,
): Promise<Result> {
  signal.throwIfAborted();
  const [cut, done] = [new AbortController(), new AbortController()];
  const ends = AbortSignal.any([signal, cut.signal]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(ends.reason);
  ends.addEventListener("abort", end);
  const late = async () => {
    await clock.sleep(delayInMs, done.signal);
    if (!done.signal.aborted) cut.abort(new DOMException("not in time", "TimeoutError"));
  };
  void late();
  try {
    return await Promise.race([ended, work(ends)]);
  } finally {
    done.abort();
    // Node keeps a combined signal for as long as it has a listener, and the caller's may last for months.
    ends.removeEventListener("abort", end);
  }
}
