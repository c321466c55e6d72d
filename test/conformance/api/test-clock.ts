/** A clock that moves when a test says so; it begins away from every boundary of days and key periods. */
export function testClock(start = Date.parse("2026-03-04T05:06:07.089Z")) {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
}
