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
  const [cut, done] = [new AbortController(), new AbortController()];
  const late = async (): Promise<never> => {
    await clock.sleep(delayInMs, AbortSignal.any([signal, done.signal]));
    const reason = signal.aborted ? signal.reason : new DOMException("not in time", "TimeoutError");
    if (!done.signal.aborted) cut.abort(reason);
    throw reason;
  };
  try {
    return await Promise.race([work(AbortSignal.any([signal, cut.signal])), late()]);
  } finally {
    done.abort();
  }
}
