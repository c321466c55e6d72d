/** Where the service takes the time from; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The default wherever a clock is an argument. */
export const systemClock: Clock = { now: () => Date.now() };

/** RFC 3339 in UTC with milliseconds, as all times of the wire (decision D67). */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
