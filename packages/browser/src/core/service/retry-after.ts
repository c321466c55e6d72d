import type { Page } from "../page/index.ts";
import type { Reply } from "./post.ts";

const longestInMs = 24 * 3_600_000;

/**
 * How long the service asks to wait, in milliseconds; 0 if it does not, negative for a date in the past.
 *
 * Reads seconds, or a date relative to the reply's own `Date`, because the person's clock may be wrong; a minute if the
 * page cannot read that header (decision O79). At most a day, because answers are kept for seven (decision O51).
 */
export function retryAfterInMs({ headers }: Reply, { Date }: Page): number {
  const wait = headers?.get("retry-after");
  const untilDateInMs = () => Date.parse(wait!) - Date.parse(headers!.get("date")!);
  return wait ? Math.min(+wait * 1000 || untilDateInMs() || 60_000, longestInMs) : 0;
}
