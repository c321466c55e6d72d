import { sql } from "kysely";
import { type Queries } from "@afterword/reference-server/internal";
import { type QueueReport } from "./results-reader.ts";

/** Depth is counted up to this; a longer queue is reported as this long. */
export const countedQueueDepth = 100_000;

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
