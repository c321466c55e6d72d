import { sql } from "kysely";
import { countedQueueDepth, type QueueFacts, type QueueReport } from "../store.ts";
import { type Queries } from "./query-runner.ts";

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

const mostReasons = 10;

/** How the queue of one project stands, for people. */
export async function readQueue(queries: Queries, projectId: string, since: number): Promise<QueueReport> {
  const inState = (state: "pending" | "failed") =>
    queries
      .selectFrom("responses")
      .where("projectId", "=", projectId)
      .where("scoreState", "=", sql.lit(state));
  const failed = inState("failed").select("failure as reason").limit(countedQueueDepth).as("failed");
  const reasons = queries.selectFrom(failed).select("reason").groupBy("reason");
  const failures = await reasons
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .orderBy("count", "desc")
    .orderBy(sql`reason IS NULL`)
    .orderBy("reason")
    .execute();
  const pending = inState("pending").select("sequence").limit(countedQueueDepth).as("pending");
  const depth = queries.selectFrom(pending).select(({ fn }) => fn.countAll<number>().as("waiting"));
  const oldest = await inState("pending").select("at").orderBy("sequence").limit(1).executeTakeFirst();
  const hours = queries.selectFrom("deliveries").select(["hour", "delivered"]);
  return {
    waiting: (await depth.executeTakeFirstOrThrow()).waiting,
    oldestAt: oldest?.at,
    failed: failures.reduce((total, { count }) => total + count, 0),
    failures: failures.slice(0, mostReasons),
    deliveries: await hours
      .where("projectId", "=", projectId)
      .where("hour", ">=", since)
      .orderBy("hour")
      .execute(),
  };
}
