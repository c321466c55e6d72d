import { sql } from "kysely";
import { type Queries } from "@afterword/results/store";

/**
 * Adds to the number of a project's responses, by survey. Call it last in a transaction, since submits to these surveys wait
 * for its end. In one order, so that two transactions cannot lock each other out.
 */
export async function addToCounts(
  queries: Queries,
  projectId: string,
  responsesBySurveyId: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [surveyId, responses] of [...responsesBySurveyId].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    await sql`
      INSERT INTO response_counts (project_id, survey_id, responses) VALUES (${projectId}, ${surveyId}, ${responses})
      ON CONFLICT (project_id, survey_id) DO UPDATE
      SET responses = response_counts.responses + excluded.responses`.execute(queries);
  }
}
