import { dayInMs } from "@afterword/protocol/duration";
import { firstMonday, weekInMs } from "./store/results-reader.ts";
import { type Zone } from "./zone.ts";

/** What responses are grouped by, beside the facts of their runs. */
const ofRuns = ["version", "stratum"] as const;
export const groupings = ["taskType", "day", "week", "surveyVersion", "identityKind", ...ofRuns] as const;

/** When the first day or week of all begins, as local clocks show it, and how long each is. */
const spans = { day: [0, dayInMs], week: [firstMonday, weekInMs] } as const;
type Span = keyof typeof spans;
export const isSpan = (by: unknown): by is Span => by === "day" || by === "week";

/** The number of the day or week of a moment. */
export const spanOf = (by: Span, at: number, zone: Zone): number =>
  Math.floor((zone.local(at) - spans[by][0]) / spans[by][1]);

/** When a day or week begins, as local clocks show it. */
export const spanStart = (by: Span, number: number): number => spans[by][0] + number * spans[by][1];

export type Grouping = (typeof groupings)[number] | { fact: string };

/** A name that is no grouping is that of a fact. */
export const groupingOf = (name: string): Grouping =>
  groupings.find((grouping) => grouping === name) ?? { fact: name };

export const groupingName = (by: Grouping): string => (typeof by === "string" ? by : by.fact);
