/** The service takes the time from a clock; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds of a clock that is never set, against which jumps of `now` show. Default: `performance.now()`. */
  monotonic?(): number;
}

/** The default wherever a clock is an argument. */
export const systemClock: Clock = Date;

export const monotonicNow = (clock: Clock) => clock.monotonic?.() ?? performance.now();
