import {
  type AskFacts,
  askFactsFromRows,
  type AskQuery,
  type AskRow,
} from "@afterword/reference-server/internal";
import { prepared, type Connection } from "./connection.ts";

/** All answers in one round trip: this is asked at each bootstrap and mint. */
const askFacts = {
  name: "ask-facts",
  text: `
    SELECT 'project' AS kind, NULL AS "surveyId", epoch AS at, 0 AS more, 0 AS "isPermanent" FROM projects WHERE id = $1
    UNION ALL
    SELECT 'survey', survey_id, answered_at, dismissed_at, is_permanent FROM suppression
    WHERE project_id = $1 AND respondent_hash = $2
    UNION ALL
    SELECT 'ask', survey_id, at, times, 0 FROM (
      SELECT survey_id, at, times FROM asks WHERE project_id = $1 AND respondent_hash = $2 ORDER BY at DESC LIMIT $4
    ) AS newest
    UNION ALL
    SELECT 'run', survey_id, at, 0, 0 FROM runs WHERE project_id = $1 AND respondent_hash = $2 AND run_hash = $5
    UNION ALL
    SELECT 'count', survey_id, 0, responses, 0 FROM response_counts WHERE project_id = $1 AND survey_id = ANY ($3)`,
};

export async function readAskFacts(
  connection: Connection,
  projectId: string,
  { respondentHash, runHash, mostAsks = 0, countedSurveyIds = [] }: AskQuery,
): Promise<AskFacts> {
  const values = [projectId, respondentHash ?? null, countedSurveyIds, mostAsks, runHash ?? null];
  const { rows } = await prepared<AskRow>(connection, { ...askFacts, values });
  return askFactsFromRows(rows);
}
