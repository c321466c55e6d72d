import { sql } from "kysely";
import { countedQueueDepth, type QueueFacts, type QueueReport } from "../store.ts";
import { build, rowsOf, type Work } from "./work.ts";

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

export function* readQueueFacts(): Work<QueueFacts[]> {
  const rows = yield* rowsOf(queueFacts);
  return rows.map((row) => ({ ...row, oldestPendingAt: row.oldestPendingAt ?? undefined }));
}

const mostReasons = 10;

/** How the queue of one project stands, for people. */
export function* readQueue(projectId: string, since: number): Work<QueueReport> {
  const inState = (state: "pending" | "failed") =>
    build.selectFrom("responses").where("projectId", "=", projectId).where("scoreState", "=", sql.lit(state));
  const failed = inState("failed").select("failure as reason").limit(countedQueueDepth).as("failed");
  const reasons = build.selectFrom(failed).select("reason").groupBy("reason");
  const failures = yield* rowsOf(
    reasons
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .orderBy("count", "desc")
      .orderBy(sql`reason IS NULL`)
      .orderBy("reason"),
  );
  const pending = inState("pending").select("sequence").limit(countedQueueDepth).as("pending");
  const [depth] = yield* rowsOf(
    build.selectFrom(pending).select(({ fn }) => fn.countAll<number>().as("waiting")),
  );
  const [oldest] = yield* rowsOf(inState("pending").select("at").orderBy("sequence").limit(1));
  const hours = build.selectFrom("deliveries").select(["hour", "delivered"]);
  return {
    waiting: depth!.waiting,
    oldestAt: oldest?.at,
    failed: failures.reduce((total, { count }) => total + count, 0),
    failures: failures.slice(0, mostReasons),
    deliveries: yield* rowsOf(
      hours.where("projectId", "=", projectId).where("hour", ">=", since).orderBy("hour"),
    ),
  };
}
