import { describe, expect, it } from "vitest";
import { before, countedDays, periodOf, periodText } from "./period.ts";
import { utc, Zone } from "./zone.ts";

const at = (text: string) => Date.parse(text);
const told = (moment: number) => new Date(moment).toISOString();

describe("a time zone", () => {
  it.each([
    ["UTC", "2026-03-29", "2026-03-29T00:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00.000Z"],
    ["America/New_York", "2026-11-02", "2026-11-02T05:00:00.000Z"],
    ["Asia/Kolkata", "2026-11-01", "2026-10-31T18:30:00.000Z"],
    ["Asia/Kathmandu", "2026-11-01", "2026-10-31T18:15:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00.000Z"],
    ["Pacific/Kiritimati", "2026-11-01", "2026-10-31T10:00:00.000Z"],
    ["+05:30", "2026-11-01", "2026-10-31T18:30:00.000Z"],
    // Clocks go from 00:00 to 01:00: that day has no midnight.
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00.000Z"],
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"],
    // Clocks go back from 01:00 to 00:00, and from 00:00 to 23:00: midnight twice, and once.
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"],
    ["America/Santiago", "2026-04-05", "2026-04-05T04:00:00.000Z"],
  ])("%s begins %s at %s", (name, day, expected) => {
    const zone = new Zone(name);
    const begin = zone.startOf(at(day));
    expect(told(begin)).toBe(expected);
    expect([zone.day(begin), zone.isStart(begin)]).toEqual([day, true]);
    expect(zone.day(begin - 1)).not.toBe(day);
  });

  it("has every moment of a year on the day that it began last", () => {
    // An expectation for each moment would take most of the time.
    const elsewhere: string[] = [];
    for (const name of ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo"]) {
      const zone = new Zone(name);
      for (let moment = at("2026-01-01"); moment < at("2027-01-01"); moment += 61 * 60_000) {
        const day = at(zone.day(moment));
        const isWithin = zone.startOf(day) <= moment && zone.startOf(day + 86_400_000) > moment;
        if (!isWithin) elsewhere.push(`${name} at ${told(moment)}`);
      }
    }
    expect(elsewhere).toEqual([]);
  });

  it.each(["", "Mars/Olympus", "Berlin", "UTC+25", "Europe/Berlin\n", "+99:00"])("is not %j", (name) => {
    expect(() => new Zone(name)).toThrow(
      /^--timezone ".*" is no time zone: pass a name such as Europe\/Berlin/s,
    );
  });
});

describe("a period in a zone", () => {
  const now = at("2026-11-27T12:00:00Z");
  const berlin = (since: string, until: string) => periodOf({ since, until, timezone: "Europe/Berlin" }, now);

  it("has days of 23 and 25 hours", () => {
    const hours = (day: string) => {
      const { since, until } = berlin(day, day);
      return (until - since) / 3_600_000;
    };
    expect([hours("2026-03-29"), hours("2026-10-25"), hours("2026-10-26")]).toEqual([23, 25, 24]);
  });

  it("is a month by its name, and comes after as many whole days", () => {
    const october = berlin("2026-10-01", "2026-10-31");
    expect(periodText(october)).toBe("October 2026");
    const { since, until } = before(october);
    expect([told(since), told(until)]).toEqual(["2026-08-30T22:00:00.000Z", "2026-09-30T22:00:00.000Z"]);
    expect(periodText(before(october))).toBe("2026-08-31 to 2026-09-30");
  });

  it.each(["Europe/Berlin", "America/New_York", "UTC"])(
    "has the runs of the days with its dates in %s",
    (timezone) => {
      const { since, until } = countedDays(
        periodOf({ since: "2026-10-01", until: "2026-10-31", timezone }, now),
      );
      expect([told(since), told(until)]).toEqual(["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"]);
    },
  );

  it("ends now, today or before, and not in the future", () => {
    const end = (until: string, timezone = "UTC") => told(periodOf({ until, timezone }, now).until);
    expect(end("2026-11-27")).toBe("2026-11-27T12:00:00.001Z");
    expect(end("2026-11-26")).toBe("2026-11-27T00:00:00.000Z");
    expect(end("2026-11-27T12:00:00Z")).toBe("2026-11-27T12:00:00.000Z");
    expect(end("2026-11-28", "Pacific/Kiritimati")).toBe("2026-11-27T12:00:00.001Z");
    for (const until of ["2026-11-28", "2026-11-27T12:00:01Z", "2100-01-01"])
      expect(() => end(until)).toThrow(
        `--until ${until} is in the future: leave it out for results until now.`,
      );
  });

  it("needs nothing of the machine's own zone", () => {
    expect(periodOf({ since: "2026-11-01" }, now)).toEqual({
      since: at("2026-11-01"),
      until: now + 1,
      zone: utc,
    });
  });
});
