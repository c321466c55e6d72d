import { type AskFacts, type EarlierAsk, type Suppression } from "./records.ts";

/** What both databases answer gating with, in one statement. */
export interface AskRow {
  kind: "project" | "survey" | "ask" | "run" | "count";
  surveyId: string;
  /** In a row of a survey, when it was answered last; in the project's row, its epoch. */
  at: number;
  /** In a row of a survey, when it was dismissed last; in rows of asks and counts, how many there are. */
  more: number;
  isPermanent: number;
}

export function askFactsFromRows(rows: readonly AskRow[]): AskFacts {
  const suppression: Suppression[] = [];
  const asks: EarlierAsk[] = [];
  const surveyIdsOfRun = new Set<string>();
  const responseCounts = new Map<string, number>();
  let epoch: number | undefined;
  for (const { kind, surveyId, at, more, isPermanent } of rows) {
    if (kind === "project") epoch = at;
    else if (kind === "ask") asks.push({ surveyId, at, times: more });
    else if (kind === "run") surveyIdsOfRun.add(surveyId);
    else if (kind === "count") responseCounts.set(surveyId, more);
    else suppression.push({ surveyId, answeredAt: at, dismissedAt: more, isPermanent: isPermanent === 1 });
  }
  return { epoch, suppression, asks, surveyIdsOfRun, responseCounts };
}
