/** Ten digits are three hundred years; a longer number would not stay finite in every sum. */
const seconds = /^\d{1,10}(\.\d+)?$/;
/** All three forms of RFC 9110 section 5.6.7 begin with a day of the week; of other texts `Date.parse` makes any date. */
const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * Reads a Retry-After header (RFC 9110 section 10.2.3): seconds, also with a fraction, or a date, which is 0 when it has
 * passed. Milliseconds; `undefined` when there is none or it cannot be read. How much of it is obeyed is the caller's
 * decision.
 */
export function retryAfterInMs(header: string | null, nowInMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (seconds.test(text)) return Math.ceil(Number(text) * 1000);
  if (!date.test(text)) return undefined;
  // The oldest form names no zone, and means this one.
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowInMs);
}
