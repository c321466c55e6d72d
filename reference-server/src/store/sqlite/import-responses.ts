import { type ImportedResponse } from "../store.ts";
import { type Connection } from "./connection.ts";

const addResponse = `
  INSERT INTO responses (
    id, project_id, survey_id, survey_version, respondent_id, rating, text, traits, at, source, score_state
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'imported', 'unlinked')
  ON CONFLICT (id) DO NOTHING`;
const countResponse = `
  INSERT INTO response_counts (project_id, survey_id, responses) VALUES (?, ?, 1)
  ON CONFLICT (project_id, survey_id) DO UPDATE SET responses = responses + 1`;

/** Call inside a transaction. Returns how many were not there yet. */
export function importResponses(connection: Connection, responses: readonly ImportedResponse[]): number {
  const add = connection.prepare(addResponse);
  const count = connection.prepare(countResponse);
  let added = 0;
  for (const {
    id,
    projectId,
    surveyId,
    surveyVersion,
    respondentId,
    rating,
    text,
    traits,
    at,
  } of responses) {
    const serialised = traits ? JSON.stringify(traits) : null;
    const row = [id, projectId, surveyId, surveyVersion, respondentId, rating, text ?? null, serialised, at];
    const { changes } = add.run(...row);
    if (changes > 0) count.run(projectId, surveyId);
    added += changes;
  }
  return added;
}
