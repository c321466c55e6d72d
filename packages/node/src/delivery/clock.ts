/** Time as the forwarder sees it, so that a test can hold it in its hands. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the delay, or at once when the signal is aborted; never rejects. */
  sleep(delayInMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves once the requests that were begun are on their way, so that the other side works on them while this one
   * goes on. Default: nothing is waited for.
   */
  turn?(): Promise<void>;
}
