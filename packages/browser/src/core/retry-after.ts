import type { Page } from "./page.ts";
import type { Reply } from "./request.ts";

const longestInMs = 24 * 3_600_000;

/**
 * How long the service asks to wait, in milliseconds; 0 when it does not, negative for a date in its past.
 *
 * Seconds, or a date, which counts from the reply's own `Date`, for the person's clock may be wrong. Where the page may
 * not read that, a minute (decision O79). An answer is kept for seven days, so a day is the most (decision O51).
 */
export function retryAfterInMs({ headers }: Reply, { Date }: Page): number {
  const wait = headers?.get("retry-after");
  const untilDateInMs = () => Date.parse(wait!) - Date.parse(headers!.get("date")!);
  return wait ? Math.min(+wait * 1000 || untilDateInMs() || 60_000, longestInMs) : 0;
}
