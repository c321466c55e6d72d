/**
 * Reads a Retry-After header: seconds, or a date (RFC 9110 section 10.2.3). `undefined` when there is none or it
 * cannot be read. How much of it is obeyed is the forwarder's decision.
 */
export function retryAfterInMs(header: string | null, nowInMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowInMs);
}
