import { sql } from "kysely";
import { countedQueueDepth, type QueueFacts } from "../store.ts";
import { rowsOf, type Work } from "./work.ts";

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

/** How the queue of each project stands. */
export function* readQueueFacts(): Work<QueueFacts[]> {
  const rows = yield* rowsOf(queueFacts);
  return rows.map((row) => ({ ...row, oldestPendingAt: row.oldestPendingAt ?? undefined }));
}
