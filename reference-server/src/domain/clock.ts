/** Where the service takes the time from; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds of a clock that is never set, against which jumps of `now` show. Default: `performance.now()`. */
  monotonic?(): number;
}

/** The default wherever a clock is an argument. */
export const systemClock: Clock = { now: () => Date.now() };

export const monotonicNow = (clock: Clock) => clock.monotonic?.() ?? performance.now();

/** Of the moment that was written last. */
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** RFC 3339 in UTC with milliseconds, as all times of the wire (decision D67). */
export function timestamp(milliseconds: number): string {
  // Under load many replies tell the same millisecond, and writing it takes longer than looking.
  if (milliseconds !== last.milliseconds) {
    last = { milliseconds, text: new Date(milliseconds).toISOString() };
  }
  return last.text;
}
