/** Time as the forwarder sees it, so that a test can hold it in its hands. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any moment, never set back: what pauses and ages are measured with. Default: `now`. */
  monotonic?(): number;
  /** Resolves after the delay, or at once when the signal is aborted; never rejects. */
  sleep(delayInMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves once the requests that were begun are on their way, so that the other side works on them while this one
   * goes on. Default: nothing is waited for.
   */
  turn?(): Promise<void>;
}

/** The same clock, whose `now` is the monotonic one: a system clock that is set back must not lengthen a pause. */
export const steadyClock = (clock: Clock): Clock => ({
  now: () => clock.monotonic?.() ?? clock.now(),
  sleep: (delayInMs, signal) => clock.sleep(delayInMs, signal),
  turn: clock.turn && (() => clock.turn!()),
});
