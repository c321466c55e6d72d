import { countedQueueDepth, type QueueFacts } from "../store.ts";
import { type Connection } from "./build.ts";

/** Every part reads an index of its own and stops at the limit, so a long queue costs no more than that. */
const queueFacts = {
  name: "queue-facts",
  text: `
    SELECT projects.id AS "projectId",
      (SELECT count(*) FROM (
        SELECT 1 FROM responses WHERE project_id = projects.id AND score_state = 'pending' LIMIT $1
      ) AS counted) AS pending,
      (SELECT count(*) FROM (
        SELECT 1 FROM responses WHERE project_id = projects.id AND score_state = 'failed' LIMIT $1
      ) AS counted) AS failed,
      (SELECT at FROM responses WHERE project_id = projects.id AND score_state = 'pending'
        ORDER BY sequence LIMIT 1) AS "oldestPendingAt"
    FROM projects ORDER BY projects.id`,
};

type Row = Omit<QueueFacts, "oldestPendingAt"> & { oldestPendingAt: number | null };

export async function readQueueFacts(connection: Connection): Promise<QueueFacts[]> {
  const { rows } = await connection.query<Row>({ ...queueFacts, values: [countedQueueDepth] });
  return rows.map((row) => ({ ...row, oldestPendingAt: row.oldestPendingAt ?? undefined }));
}
