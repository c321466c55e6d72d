export const groupings = ["taskType", "week", "surveyVersion", "identityKind"] as const;
export type Grouping = (typeof groupings)[number];
