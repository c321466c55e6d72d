import { type AskFacts } from "../store.ts";
import { type Connection } from "./build.ts";

/** Both answers in one round trip: this is asked at each bootstrap and mint. */
const askFacts = {
  name: "ask-facts",
  text: `
    SELECT survey_id AS "surveyId", at, times, NULL::bigint AS responses FROM asks
    WHERE project_id = $1 AND respondent_hash = $2
    UNION ALL
    SELECT survey_id, NULL, NULL, sum(responses)::bigint FROM response_counts
    WHERE project_id = $1 AND survey_id = ANY ($3) GROUP BY survey_id`,
};

type Row =
  | { surveyId: string; at: number; times: number; responses: null }
  | { surveyId: string; at: null; times: null; responses: number };

export async function readAskFacts(
  connection: Connection,
  projectId: string,
  respondentHash: Uint8Array | undefined,
  countedSurveyIds: readonly string[],
): Promise<AskFacts> {
  const values = [projectId, respondentHash ?? null, countedSurveyIds];
  const { rows } = await connection.query<Row>({ ...askFacts, values });
  const facts = { asks: [] as AskFacts["asks"][number][], responseCounts: new Map<string, number>() };
  for (const { surveyId, at, times, responses } of rows) {
    if (at === null) facts.responseCounts.set(surveyId, responses);
    else facts.asks.push({ surveyId, at, times });
  }
  return facts;
}
