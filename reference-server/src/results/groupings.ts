import { dayInMs, firstMonday, weekInMs } from "../store/store.ts";
import { type Zone } from "./zone.ts";

/** What responses are grouped by, beside the facts of their runs. */
export const groupings = [
  "taskType",
  "day",
  "week",
  "surveyVersion",
  "identityKind",
  "version",
  "stratum",
] as const;

/** Groups by time: when the first one begins, as local clocks show it, and how long each is. */
const spans = {
  day: { first: 0, length: dayInMs },
  // Begins on Monday.
  week: { first: firstMonday, length: weekInMs },
} as const;
export const isSpan = (by: unknown): by is keyof typeof spans => by === "day" || by === "week";

/** The number of the day or week of a moment. */
export const spanOf = (by: keyof typeof spans, at: number, zone: Zone): number =>
  Math.floor((zone.local(at) - spans[by].first) / spans[by].length);

/** When a day or week begins, as local clocks show it. */
export const spanStart = (by: keyof typeof spans, number: number): number =>
  spans[by].first + number * spans[by].length;

export type Grouping = (typeof groupings)[number] | { fact: string };

/** A name that is no grouping is that of a fact. */
export const groupingOf = (name: string): Grouping =>
  groupings.find((grouping) => grouping === name) ?? { fact: name };

export const groupingName = (by: Grouping): string => (typeof by === "string" ? by : by.fact);
