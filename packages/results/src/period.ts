import * as z from "zod";
import { durationInMs, dayInMs } from "@afterword/protocol/duration";
import { dayOf, UsageError } from "@afterword/reference-server/internal";
import { utc, Zone } from "./zone.ts";

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });

/**
 * The moment at which a period begins or ends, in milliseconds since 1970. A date is a day of the zone: a period that ends
 * with it has all of that day in it.
 * @throws UsageError for anything but a date or a time
 */
export function momentOf(text: string, flag: "--since" | "--until" | "--from", zone: Zone): number {
  if (date.safeParse(text).success)
    return zone.startOf(Date.parse(text) + (flag === "--until" ? dayInMs : 0));
  if (dateTime.safeParse(text).success) return Date.parse(text);
  const duration = flag === "--since" ? ", nor a duration such as 28d" : "";
  if (duration && /^0+[smhd]$/.test(text)) throw new UsageError(`--since "${text}" is not more than 0.`);
  throw new UsageError(
    `${flag} "${text}" is neither a date such as 2026-11-01 nor a time such as 2026-11-01T08:00:00Z${duration}.`,
  );
}

/** Milliseconds since 1970: the first moment that counts, and the first that counts no more. */
export interface Period {
  since: number;
  until: number;
  /** In which its days begin, and in which they are shown. */
  zone: Zone;
}

/** The last moment of a period, cut to the present for this day. @throws UsageError for one in the future */
function endOf(until: string | undefined, now: number, zone: Zone): number {
  // What is answered in this very millisecond is in it.
  if (until === undefined) return now + 1;
  const end = momentOf(until, "--until", zone);
  const today = zone.startOf(dayOf(zone.local(now)) + dayInMs);
  if (end <= now || (date.safeParse(until).success && end <= today)) return Math.min(end, now + 1);
  throw new UsageError(`--until ${until} is in the future: leave it out for results until now.`);
}

/** What results are of unless a command says otherwise. */
export const usualPeriod = "90d";

/**
 * @param since a date, a time, or a duration that ends with the period
 * @throws UsageError for anything else, and for a period that ends before it begins
 */
export function periodOf(
  { since = usualPeriod, until, timezone }: { since?: string; until?: string; timezone?: string },
  now: number,
): Period {
  const zone = timezone === undefined ? utc : new Zone(timezone);
  const end = endOf(until, now, zone);
  const duration = durationInMs(since);
  const begin = duration === undefined ? momentOf(since, "--since", zone) : Math.min(end, now) - duration;
  if (begin < Math.min(end, now)) return { since: begin, until: end, zone };
  throw new UsageError(`--since ${since} must be before ${until ? `--until ${until}` : "now"}.`);
}

/** The period of the same length before a period; as many days before whole days. */
export function before({ since, until, zone }: Period): Period {
  const isWhole = zone.isStart(since) && zone.isStart(until);
  const [first, last] = [zone.local(since), zone.local(until)].map(dayOf) as [number, number];
  const begin = isWhole ? zone.startOf(first - (last - first)) : since - (until - since);
  return { since: begin, until: since, zone };
}

/** The days in UTC that have the dates of a period: runs are counted by them. */
export const countedDays = ({ since, until, zone }: Period) => ({
  since: dayOf(zone.local(since)),
  until: dayOf(zone.local(until - 1)) + dayInMs,
});

/** `2026-10-03 to 2026-11-02`, both days in it. */
export const daysText = ({ since, until, zone }: Period): string =>
  `${zone.day(since)} to ${zone.day(until - 1)}`;

/** `October 2026`, or the days of a period that is no month. */
export function periodText(period: Period): string {
  const { since, until, zone } = period;
  const first = new Date(zone.local(since));
  const nextMonth = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
  const isMonth = zone.isStart(since) && first.getUTCDate() === 1 && until === zone.startOf(nextMonth);
  if (!isMonth) return daysText(period);
  return first.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}

/** The same with its time zone. */
export const zonedText = (period: Period): string => `${periodText(period)} (${period.zone.name})`;

/** `90 days`, in whole days. */
export function lengthText({ since, until }: Period): string {
  const days = Math.max(1, Math.round((until - since) / dayInMs));
  return days === 1 ? "day" : `${days} days`;
}
