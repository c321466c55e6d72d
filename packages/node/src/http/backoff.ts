/** Exponential backoff with jitter: doubled at each failure up to the longest wait. */
export interface Backoff {
  firstInMs: number;
  longestInMs: number;
}

/** Milliseconds to wait after this many failures in a row (from 1): between half and all of the full wait. */
export function backoffInMs(
  { firstInMs, longestInMs }: Backoff,
  failures: number,
  random: () => number,
): number {
  const fullInMs = Math.min(longestInMs, firstInMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(fullInMs * (0.5 + random() * 0.5));
}

/** A wait that a sink or the service asks for is honoured up to an hour. */
const longestAskedInMs = 3_600_000;

/** The wait, in milliseconds. Both may ask for a longer one, never for a shorter: a Retry-After of 0 would allow hammering. */
export function waitInMs(ownInMs: number, askedInMs: number | undefined): number {
  return Math.max(ownInMs, Math.min(askedInMs || 0, longestAskedInMs));
}
