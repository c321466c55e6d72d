import { type ImportedResponse } from "../store.ts";
import { type Dialect, build, rowsOf, type Work } from "./work.ts";

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
export function* importResponses(responses: readonly ImportedResponse[], dialect: Dialect): Work<number> {
  let added = 0;
  for (let at = 0; at < responses.length; at += rowsAtOnce) {
    const rows = responses.slice(at, at + rowsAtOnce).map(rowOf);
    const insert = build.insertInto("responses").values(rows);
    const isNew = insert.onConflict((conflict) => conflict.column("id").doNothing());
    const stored = yield* rowsOf(isNew.returning(["projectId", "surveyId"]));
    for (const [projectId, ofProject] of Map.groupBy(stored, (row) => row.projectId)) {
      for (const [surveyId, { length }] of Map.groupBy(ofProject, (row) => row.surveyId)) {
        yield dialect.addToCount(projectId, surveyId, length);
      }
    }
    added += stored.length;
  }
  return added;
}
