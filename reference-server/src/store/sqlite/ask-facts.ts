import { askFactsFromRows, type AskRow } from "../shared-rows.ts";
import { type Store } from "../store.ts";
import { type Access } from "./connection.ts";

// One statement, since each takes and gives back a lock on the database, which costs more than the look-up itself.
const factsOf = `
  SELECT 'project' AS kind, NULL AS surveyId, epoch AS at, 0 AS more, 0 AS isPermanent FROM projects WHERE id = ?
  UNION ALL
  SELECT 'survey', survey_id, answered_at, dismissed_at, is_permanent FROM suppression
  WHERE project_id = ? AND respondent_hash = ?`;
const historyOf = `
  UNION ALL
  SELECT 'ask', survey_id, at, times, 0 FROM (
    SELECT survey_id, at, times FROM asks WHERE project_id = ? AND respondent_hash = ? ORDER BY at DESC LIMIT ?
  )
  UNION ALL
  SELECT 'run', survey_id, at, 0, 0 FROM runs WHERE project_id = ? AND respondent_hash = ? AND run_hash = ?`;
const countOf = `
  SELECT 'count' AS kind, survey_id AS surveyId, 0 AS at, responses AS more, 0 AS isPermanent FROM response_counts
  WHERE project_id = ? AND survey_id = ?`;

const none = new Uint8Array();

/** Reads what gating decides on, at each bootstrap and mint. */
export function askFactsMethod({ connection, read }: Access): Store["askFacts"] {
  const plain = connection.prepare<unknown[], AskRow>(factsOf);
  // Apart, so that projects without a monthly cap and without runs do not pay for them.
  const withHistory = connection.prepare<unknown[], AskRow>(factsOf + historyOf);
  const count = connection.prepare<[string, string], AskRow>(countOf);
  return (projectId, query) =>
    read(() => {
      const { respondentHash = none, runHash, mostAsks = 0, countedSurveyIds = [] } = query;
      const one = [projectId, respondentHash];
      const hasHistory = mostAsks > 0 || runHash !== undefined;
      const rows = hasHistory
        ? withHistory.all(projectId, ...one, ...one, mostAsks, ...one, runHash ?? none)
        : plain.all(projectId, ...one);
      const counts = countedSurveyIds.flatMap((id) => count.get(projectId, id) ?? []);
      return askFactsFromRows(counts.length === 0 ? rows : [...rows, ...counts]);
    });
}
