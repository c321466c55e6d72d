import { type AskFacts, type EarlierAsk } from "../store.ts";
import { type Connection } from "./run-work.ts";

/** All answers in one round trip: this is asked at each bootstrap and mint. */
const askFacts = {
  name: "ask-facts",
  text: `
    SELECT survey_id AS "surveyId", at, times, NULL::bigint AS responses FROM asks
    WHERE project_id = $1 AND respondent_hash = $2
    UNION ALL
    SELECT survey_id, NULL, NULL, sum(responses)::bigint FROM response_counts
    WHERE project_id = $1 AND survey_id = ANY ($3) GROUP BY survey_id
    UNION ALL
    SELECT NULL, epoch, NULL, NULL FROM projects WHERE id = $1`,
};

type Row =
  | { surveyId: string; at: number; times: number; responses: null }
  | { surveyId: string; at: null; times: null; responses: number }
  /** The project itself: its epoch. */
  | { surveyId: null; at: number; times: null; responses: null };

export async function readAskFacts(
  connection: Connection,
  projectId: string,
  respondentHash: Uint8Array | undefined,
  countedSurveyIds: readonly string[],
): Promise<AskFacts> {
  const values = [projectId, respondentHash ?? null, countedSurveyIds];
  const { rows } = await connection.query<Row>({ ...askFacts, values });
  const asks: EarlierAsk[] = [];
  const responseCounts = new Map<string, number>();
  let epoch: number | undefined;
  for (const row of rows) {
    if (row.surveyId === null) epoch = row.at;
    else if (row.at === null) responseCounts.set(row.surveyId, row.responses);
    else asks.push({ surveyId: row.surveyId, at: row.at, times: row.times });
  }
  return { epoch, asks, responseCounts };
}
