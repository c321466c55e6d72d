/** How waits grow: doubled at each failure up to the longest, and spread so that forwarders do not march in step. */
export interface Backoff {
  firstInMs: number;
  longestInMs: number;
}

/** Milliseconds to wait after so many failures in a row (from 1): between half and all of the full wait. */
export function backoffInMs(
  { firstInMs, longestInMs }: Backoff,
  failures: number,
  random: () => number,
): number {
  const fullInMs = Math.min(longestInMs, firstInMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(fullInMs * (0.5 + random() * 0.5));
}

/** What a sink asks for is obeyed up to an hour. */
const longestWishInMs = 3_600_000;

/** The wait where a sink asks for one: its wish may lengthen the forwarder's own, never shorten it (decision O36). */
export function waitInMs(ownInMs: number, wishInMs: number | undefined): number {
  return Math.max(ownInMs, Math.min(wishInMs || 0, longestWishInMs));
}
