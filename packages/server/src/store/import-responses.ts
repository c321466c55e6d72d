import { sql } from "kysely";
import { type Traits } from "@afterword/protocol";
import { type Queries } from "@afterword/results/store";

/** A response that was measured elsewhere. Never linked and never in the queue; its survey's count includes it. */
export interface ImportedResponse {
  id: string;
  at: number;
  projectId: string;
  surveyId: string;
  surveyVersion: number;
  respondentId: string;
  rating: number;
  text?: string;
  traits?: Traits;
}

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

/**
 * Adds responses. An id that is there already is left as it is, so an import that was cut short can be run again. Returns how
 * many were added.
 */
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
