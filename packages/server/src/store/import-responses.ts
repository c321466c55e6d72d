import { sql } from "kysely";
import { type Queries } from "@afterword/results/store";
import { type ImportedResponse } from "./administration.ts";

/** Rows of one statement: SQLite takes 32,766 parameters. */
const rowsAtOnce = 500;

const rowOf = ({ text, traits, ...row }: ImportedResponse) => ({
  ...row,
  text: text ?? null,
  traits: traits ? JSON.stringify(traits) : null,
  source: "imported" as const,
  scoreState: "unlinked" as const,
});

/**
 * Adds to the number of responses of each survey. Last in its transaction, since submits to these surveys wait for its end, and
 * in one order, so that two transactions cannot lock each other out.
 */
async function addToCounts(queries: Queries, added: readonly { projectId: string; surveyId: string }[]) {
  const bySurvey = Map.groupBy(added, ({ projectId, surveyId }) => JSON.stringify([projectId, surveyId]));
  for (const [key, { length }] of [...bySurvey].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [projectId, surveyId] = JSON.parse(key) as [string, string];
    await sql`
      INSERT INTO response_counts (project_id, survey_id, responses) VALUES (${projectId}, ${surveyId}, ${length})
      ON CONFLICT (project_id, survey_id) DO UPDATE
      SET responses = response_counts.responses + excluded.responses`.execute(queries);
  }
}

/** Returns how many were not there yet; a survey's count grows by those. */
export async function importResponses(
  queries: Queries,
  responses: readonly ImportedResponse[],
): Promise<number> {
  const added: { projectId: string; surveyId: string }[] = [];
  for (let at = 0; at < responses.length; at += rowsAtOnce) {
    const rows = responses.slice(at, at + rowsAtOnce).map(rowOf);
    const insert = queries.insertInto("responses").values(rows);
    const isNew = insert.onConflict((conflict) => conflict.column("id").doNothing());
    added.push(...(await isNew.returning(["projectId", "surveyId"]).execute()));
  }
  await addToCounts(queries, added);
  return added.length;
}
