import { expect, it } from "vitest";
import { queueText } from "./queue-state.ts";

const now = Date.parse("2026-11-25T12:00:00Z");
const minuteInMs = 60_000;
const hourInMs = 60 * minuteInMs;

it.each([
  [0, "0 minutes"],
  [minuteInMs, "1 minute"],
  [119 * minuteInMs, "119 minutes"],
  [120 * minuteInMs, "2 hours"],
  [48 * hourInMs, "48 hours"],
  [49 * hourInMs, "2 days"],
  [61 * hourInMs, "3 days"],
])("a score that has waited for %i ms has waited for %s", (age, words) => {
  const oldestAt = new Date(now - age).toISOString();
  const state = { waiting: 1, failed: 0, failures: [], deliveredPerHour: [], oldestAt };
  expect(queueText(state, now)).toContain(`1 score waiting for the forwarder, the oldest for ${words};`);
});
