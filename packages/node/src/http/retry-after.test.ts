import { expect, it } from "vitest";
import { retryAfterInMs } from "./retry-after.ts";

const now = Date.parse("2026-11-21T09:00:00.000Z");

it.each([
  ["whole seconds", "7", 7000],
  ["none at all, which is no wait", "0", 0],
  ["a fraction of a second, rounded up to a millisecond", "0.0015", 2],
  ["spaces around the number", " 20 ", 20_000],
  ["as many digits as a number may have", "9999999999", 9_999_999_999_000],
  ["a date", "Sat, 21 Nov 2026 09:00:20 GMT", 20_000],
  ["a date that has passed, which is no wait", "Sat, 21 Nov 2026 08:59:59 GMT", 0],
  ["a date in the form of RFC 850", "Saturday, 21-Nov-26 09:01:00 GMT", 60_000],
  ["a date in the form of C, which names no zone", "Sat Nov 21 09:01:00 2026", 60_000],
])("reads %s: %s", (_, header, expected) => {
  expect(retryAfterInMs(header, now)).toBe(expected);
});

it.each([
  ["no header", null],
  ["an empty one", ""],
  ["blanks", "  "],
  ["a negative number", "-5"],
  ["a hexadecimal number", "0x10"],
  ["an exponent", "1e3"],
  ["a word for a number", "Infinity"],
  ["more digits than any wait has", "99999999999"],
  ["words with a number behind them", "in 5"],
  ["a day that does not exist", "Sat, 99 Nov 2026 09:00:20 GMT"],
])("takes %s for no wish", (_, header) => {
  expect(retryAfterInMs(header, now)).toBeUndefined();
});
