/** Ten digits are three hundred years; longer numbers could overflow to infinity. */
const seconds = /^\d{1,10}(\.\d+)?$/;
/** All three forms of RFC 9110 section 5.6.7 begin with a day of the week; `Date.parse` accepts many other texts. */
const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * Parses a Retry-After header (RFC 9110 section 10.2.3), in seconds or as a date, to milliseconds; 0 for a past date,
 * `undefined` without a valid header. The caller caps the result.
 */
export function retryAfterInMs(header: string | null, nowInMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (seconds.test(text)) return Math.ceil(Number(text) * 1000);
  if (!date.test(text)) return undefined;
  // The oldest form names no time zone and means GMT.
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowInMs);
}
