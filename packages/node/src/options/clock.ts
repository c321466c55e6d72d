/** Time and timers, as an interface so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary moment, never set back; used for pauses and ages. Default: `now`. */
  monotonic?(): number;
  /** Resolves after the delay, or at once when the signal is aborted; never rejects. */
  sleep(delayInMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves after the event loop has sent the pending requests, so that the other side can work on them meanwhile.
   * Default: does not wait.
   */
  turn?(): Promise<void>;
}

/** The clock with `now` taken from `monotonic`, since a system clock that is set back must not lengthen a pause. */
export const steadyClock = (clock: Clock): Clock => ({
  now: () => clock.monotonic?.() ?? clock.now(),
  sleep: (delayInMs, signal) => clock.sleep(delayInMs, signal),
  turn: clock.turn && (() => clock.turn!()),
});

/** The longest delay of a timer, 24 days; a longer one would fire at once. */
export const longestDelayInMs = 2 ** 31 - 1;

/** The system's time and timers. */
export const systemClock: Clock = {
  // Two turns of the event loop: fetch reuses a connection in the turn after its last response has ended.
  turn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (delayInMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(0, delayInMs), longestDelayInMs));
      signal?.addEventListener("abort", done);
    }),
};

/** Resolves once the signal is aborted: raced with work that may heed no signal. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
