/** What responses are grouped by, beside the facts of their runs. */
export const groupings = ["taskType", "week", "surveyVersion", "identityKind", "version", "stratum"] as const;
export type Grouping = (typeof groupings)[number] | { fact: string };

/** A name that is no grouping is that of a fact. */
export const groupingOf = (name: string): Grouping =>
  groupings.find((grouping) => grouping === name) ?? { fact: name };

export const groupingName = (by: Grouping): string => (typeof by === "string" ? by : by.fact);
