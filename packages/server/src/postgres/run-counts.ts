import { type RunCount } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";

const key = ["projectId", "surveyId", "day", "version", "stratum", "kind", "reason"] as const;
/** SQLite takes at most 32,766 parameters, eight for each row. */
const rowsPerStatement = 1000;

const sortKey = (row: RunCount) => JSON.stringify(key.map((column) => row[column]));

/** In one order, so that nodes that do this at the same time cannot lock each other out. */
export async function addRunCounts(queries: Queries, counts: readonly RunCount[]): Promise<void> {
  const rows = counts.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await queries
      .insertInto("runCounts")
      .values(rows.slice(start, start + rowsPerStatement))
      .onConflict((conflict) =>
        conflict
          .columns([...key])
          .doUpdateSet(({ eb, ref }) => ({ count: eb("runCounts.count", "+", ref("excluded.count")) })),
      )
      .execute();
  }
}
