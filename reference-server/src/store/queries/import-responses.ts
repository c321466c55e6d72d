import { type ImportedResponse } from "../store.ts";
import { type Queries } from "./query-runner.ts";
import { type SqlDialect } from "./sql-dialect.ts";

/** Rows of one statement: SQLite takes 32,766 parameters. */
const rowsAtOnce = 500;

const rowOf = ({ text, traits, ...row }: ImportedResponse) => ({
  ...row,
  text: text ?? null,
  traits: traits ? JSON.stringify(traits) : null,
  source: "imported" as const,
  scoreState: "unlinked" as const,
});

/** Returns how many were not there yet; a survey's count grows by those. */
export async function importResponses(
  queries: Queries,
  responses: readonly ImportedResponse[],
  dialect: SqlDialect,
): Promise<number> {
  let added = 0;
  for (let at = 0; at < responses.length; at += rowsAtOnce) {
    const rows = responses.slice(at, at + rowsAtOnce).map(rowOf);
    const insert = queries.insertInto("responses").values(rows);
    const isNew = insert.onConflict((conflict) => conflict.column("id").doNothing());
    const stored = await isNew.returning(["projectId", "surveyId"]).execute();
    for (const [projectId, ofProject] of Map.groupBy(stored, (row) => row.projectId)) {
      for (const [surveyId, { length }] of Map.groupBy(ofProject, (row) => row.surveyId)) {
        await dialect.addToCount(projectId, surveyId, length).execute(queries);
      }
    }
    added += stored.length;
  }
  return added;
}
