import { type RunCount } from "@afterword/reference-server/internal";
import { execute, type Connection } from "./connection.ts";

const columns = ["projectId", "surveyId", "day", "version", "stratum", "kind", "reason", "count"] as const;

// In one order, so that nodes that do this at the same time cannot lock each other out.
const add = `
  INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[]
  ) ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (project_id, survey_id, day, version, stratum, kind, reason)
  DO UPDATE SET count = run_counts.count + excluded.count`;

export async function addRunCounts(connection: Connection, counts: readonly RunCount[]): Promise<void> {
  await execute(
    connection,
    add,
    columns.map((column) => counts.map((count) => count[column])),
  );
}
