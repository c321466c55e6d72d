import { type ImportedResponse } from "../store.ts";
import { type Connection } from "./build.ts";
import { freeShard, ownShard } from "./free-shard.ts";
import { storableJson } from "./storable-json.ts";

/** One statement, and so one transaction; a survey's count grows by what was really added. */
const add = `
  WITH incoming AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS response (
      position integer, id text, project_id text, survey_id text, survey_version integer, respondent_id text,
      rating integer, text text, traits text, at bigint
    )
  ), added AS (
    INSERT INTO responses (
      id, project_id, survey_id, survey_version, respondent_id, rating, text, traits, at, source, score_state
    )
    SELECT id, project_id, survey_id, survey_version, respondent_id, rating, text, traits, at, 'imported', 'unlinked'
    FROM incoming ORDER BY position
    ON CONFLICT (id) DO NOTHING
    RETURNING project_id, survey_id
  ), free AS MATERIALIZED (${freeShard}
  ), counted AS (
    INSERT INTO response_counts (project_id, survey_id, shard, responses)
    SELECT project_id, survey_id, ${ownShard}, count(*) FROM added GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (project_id, survey_id, shard) DO UPDATE
    SET responses = response_counts.responses + excluded.responses
  )
  SELECT count(*) AS rows FROM added`;

/** Returns how many were not there yet. */
export async function importResponses(
  connection: Connection,
  responses: readonly ImportedResponse[],
): Promise<number> {
  const incoming = responses.map((response, position) => ({
    position,
    id: response.id,
    project_id: response.projectId,
    survey_id: response.surveyId,
    survey_version: response.surveyVersion,
    respondent_id: response.respondentId,
    rating: response.rating,
    text: response.text,
    traits: response.traits && JSON.stringify(response.traits),
    at: response.at,
  }));
  const { rows } = await connection.query<{ rows: number }>(add, [storableJson(incoming)]);
  return rows[0]?.rows ?? 0;
}
