import { addToCounts } from "./add-to-counts.ts";
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
  for (const [projectId, rows] of Map.groupBy(added, (row) => row.projectId)) {
    const ofSurveys = Map.groupBy(rows, (row) => row.surveyId);
    await addToCounts(queries, projectId, new Map([...ofSurveys].map(([id, { length }]) => [id, length])));
  }
  return added.length;
}
