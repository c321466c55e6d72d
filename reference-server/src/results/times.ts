import * as z from "zod";
import { durationInMs } from "@afterword/protocol/duration";
import { UsageError } from "../domain/usage-error.ts";
import { dayInMs } from "../store/store.ts";

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });

/**
 * The moment at which a period begins or ends, in milliseconds since 1970. A date is a day in UTC: a period that ends
 * with it has all of that day in it.
 * @throws UsageError for anything but a date or a time
 */
export function momentOf(text: string, flag: "--since" | "--until" | "--from"): number {
  if (date.safeParse(text).success) return Date.parse(text) + (flag === "--until" ? dayInMs : 0);
  if (dateTime.safeParse(text).success) return Date.parse(text);
  const duration = flag === "--since" ? ", nor a duration such as 28d" : "";
  throw new UsageError(
    `${flag} "${text}" is neither a date such as 2026-11-01 nor a time such as 2026-11-01T08:00:00Z${duration}.`,
  );
}

/** Milliseconds since 1970: the first moment that counts, and the first that counts no more. */
export interface Period {
  since: number;
  until: number;
}

/** What results are of unless a command says otherwise. */
export const usualPeriod = "90d";

/**
 * @param since a date, a time, or a duration that ends with the period
 * @throws UsageError for anything else, and for a period that ends before it begins
 */
export function periodOf(
  { since = usualPeriod, until }: { since?: string; until?: string },
  now: number,
): Period {
  const end = until === undefined ? now : momentOf(until, "--until");
  const duration = durationInMs(since);
  const begin = duration === undefined ? momentOf(since, "--since") : end - duration;
  // What is answered in this very millisecond is in it.
  if (begin < end) return { since: begin, until: until === undefined ? end + 1 : end };
  throw new UsageError(`--since ${since} must be before ${until ? `--until ${until}` : "now"}.`);
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** `2026-10-03 to 2026-11-02`, both days in it. */
export const daysText = ({ since, until }: Period): string => `${day(since)} to ${day(until - 1)}`;

/** `October 2026`, or the days of a period that is no month. */
export function periodText({ since, until }: Period): string {
  const first = new Date(since);
  const nextMonth = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
  const isMonth = since % dayInMs === 0 && first.getUTCDate() === 1 && until === nextMonth;
  if (!isMonth) return daysText({ since, until });
  return first.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}

/** `90 days`, in whole days. */
export function lengthText({ since, until }: Period): string {
  const days = Math.max(1, Math.round((until - since) / dayInMs));
  return days === 1 ? "day" : `${days} days`;
}
