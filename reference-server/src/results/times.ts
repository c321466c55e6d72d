import * as z from "zod";
import { UsageError } from "../domain/usage-error.ts";

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });
const dayInMs = 24 * 3_600_000;

/**
 * The moment at which a period begins or ends, in milliseconds since 1970. A date is a day in UTC: a period that ends
 * with it has all of that day in it.
 * @throws UsageError for anything but a date or a time
 */
export function momentOf(text: string, flag: "--since" | "--until" | "--from"): number {
  if (date.safeParse(text).success) return Date.parse(text) + (flag === "--until" ? dayInMs : 0);
  if (dateTime.safeParse(text).success) return Date.parse(text);
  throw new UsageError(
    `${flag} "${text}" is neither a date such as 2026-11-01 nor a time such as 2026-11-01T08:00:00Z.`,
  );
}
