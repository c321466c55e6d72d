import { sql } from "kysely";
import { type Queries, countedQueueDepth } from "@afterword/results/store";
import { type QueueFacts } from "./administration.ts";

/** Reads an index of its own and stops at the limit, so a long queue costs no more than that. */
const depthOf = (state: "pending" | "failed") => sql`
  SELECT count(*) FROM (
    SELECT 1 FROM responses WHERE project_id = projects.id AND score_state = ${sql.lit(state)}
    LIMIT ${sql.lit(countedQueueDepth)}
  ) AS counted`;

const queueFacts = sql<Omit<QueueFacts, "oldestPendingAt"> & { oldestPendingAt: number | null }>`
  SELECT projects.id AS "projectId", (${depthOf("pending")}) AS pending, (${depthOf("failed")}) AS failed,
    (SELECT at FROM responses WHERE project_id = projects.id AND score_state = 'pending' ORDER BY sequence LIMIT 1)
      AS "oldestPendingAt"
  FROM projects ORDER BY projects.id`;

export async function readQueueFacts(queries: Queries): Promise<QueueFacts[]> {
  const { rows } = await queueFacts.execute(queries);
  return rows.map((row) => ({ ...row, oldestPendingAt: row.oldestPendingAt ?? undefined }));
}
