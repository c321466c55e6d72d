import { limits } from "@afterword/protocol/limits";
import { sql, type RawBuilder } from "kysely";
import {
  type Acknowledgement,
  hourOf,
  type Lease,
  type LeasedPage,
  type PageRequest,
  type QueuedScore,
  type Store,
} from "@afterword/reference-server/internal";
import { type Queries, type QueryRunner } from "@afterword/results/store";
import { type SqlDialect } from "../store/sql-dialect.ts";

/**
 * A page of the queue, which is no table of its own but a view on the responses. Each state has an index of its own, so a
 * page costs the same behind a million delivered or failed rows.
 */
async function page(
  queries: Queries,
  { projectId, after, includeFailed, limit }: PageRequest,
  isFree: RawBuilder<unknown> = sql``,
): Promise<QueuedScore[]> {
  const inState = (state: "pending" | "failed") => sql<QueuedScore>`
    SELECT sequence, id, survey_id, at, session_id, observation_id, rating, text, task_type, run FROM responses
    WHERE project_id = ${projectId} AND score_state = ${sql.lit(state)} AND sequence > ${after} ${isFree}
    ORDER BY sequence LIMIT ${limit}`;
  const both = sql<QueuedScore>`
    SELECT * FROM (${inState("pending")}) AS pending UNION ALL SELECT * FROM (${inState("failed")}) AS failed
    ORDER BY sequence LIMIT ${limit}`;
  return (await (includeFailed ? both : inState("pending")).execute(queries)).rows;
}

/** A clock that is set back must not make a lease longer: one that would last longer than any has ended. */
const longestLeaseInMs = 2 * 1000 * limits.leaseInSeconds;

/** Which of the scores are kept: what another consumer has leased since they were listed is not free any more. */
async function keep(
  queries: Queries,
  projectId: string,
  scores: readonly QueuedScore[],
  { consumer, now, until }: Lease,
): Promise<ReadonlySet<number>> {
  if (scores.length === 0) return new Set();
  // In the order of the page, so that two consumers cannot lock each other out.
  const leases = scores.map(({ sequence }) => sql`(${sequence}, ${projectId}, ${consumer}, ${until})`);
  const kept = await sql<{ sequence: number }>`
    INSERT INTO leases (sequence, project_id, consumer, until) VALUES ${sql.join(leases)}
    ON CONFLICT (sequence) DO UPDATE SET consumer = excluded.consumer, until = excluded.until
    WHERE leases.consumer = excluded.consumer OR leases.until <= ${now} OR leases.until > ${now + longestLeaseInMs}
    RETURNING sequence`.execute(queries);
  return new Set(kept.rows.map(({ sequence }) => sequence));
}

async function leasePage(queries: Queries, request: PageRequest, lease: Lease): Promise<LeasedPage> {
  const { projectId, limit } = request;
  const { consumer, now, until } = lease;
  if (until === undefined) {
    const own = queries.deleteFrom("leases").where("projectId", "=", projectId);
    await own.where("consumer", "=", consumer).execute();
  }
  const isHeld = sql`consumer <> ${consumer} AND until > ${now} AND until <= ${now + longestLeaseInMs}`;
  const isFree = sql`
    AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.sequence = responses.sequence AND ${isHeld})`;
  const rows = await page(queries, { ...request, limit: limit + 1 }, isFree);
  const listed = rows.slice(0, limit);
  const kept = until === undefined ? undefined : await keep(queries, projectId, listed, lease);
  return {
    scores: kept ? listed.filter(({ sequence }) => kept.has(sequence)) : listed,
    continuesAfter: rows.length > limit ? listed.at(-1)?.sequence : undefined,
    leased: await leasedScores(queries, request, isHeld),
  };
}

async function leasedScores(
  queries: Queries,
  { projectId, includeFailed }: PageRequest,
  isHeld: RawBuilder<unknown>,
): Promise<LeasedPage["leased"]> {
  const states = sql.raw(includeFailed ? "'pending', 'failed'" : "'pending'");
  const held = await sql<LeasedPage["leased"]>`
    SELECT count(*) AS count, max(until) AS until FROM leases JOIN responses USING (sequence)
    WHERE leases.project_id = ${projectId} AND score_state IN (${states}) AND ${isHeld}`.execute(queries);
  return held.rows[0]!;
}

/** Delivered is final; failed again changes at most the reason; unlinked responses are never in the queue. */
async function acknowledge(
  queries: Queries,
  projectId: string,
  results: ReadonlyMap<string, Acknowledgement>,
  at: number,
  { lockingRows }: SqlDialect,
): Promise<number> {
  if (results.size === 0) return 0;
  const scores = sql`SELECT sequence FROM responses WHERE project_id = ${projectId} AND id IN (${sql.join([...results.keys()])})`;
  // In one order, so that two forwarders that acknowledge the same page cannot lock each other out.
  if (lockingRows) await sql`${scores} ORDER BY sequence ${lockingRows}`.execute(queries);
  type State = "pending" | "failed" | "delivered";
  const change = async (ids: string[], from: State[], to: { scoreState?: State; failure: string | null }) => {
    const chosen = queries.updateTable("responses").set(to).where("projectId", "=", projectId);
    const changed = chosen.where("id", "in", ids).where("scoreState", "in", from);
    return Number((await changed.executeTakeFirst()).numUpdatedRows);
  };
  let [delivered, failed] = [0, 0];
  const reasonOf = ([, { state, reason }]: [string, Acknowledgement]) =>
    state === "delivered" ? undefined : (reason ?? null);
  for (const [failure, group] of Map.groupBy(results, reasonOf)) {
    const ids = group.map(([id]) => id);
    if (failure === undefined)
      delivered += await change(ids, ["pending", "failed"], { scoreState: "delivered", failure: null });
    else {
      if (failure !== null) await change(ids, ["failed"], { failure });
      failed += await change(ids, ["pending"], { scoreState: "failed", failure });
    }
  }
  await sql`DELETE FROM leases WHERE sequence IN (${scores})`.execute(queries);
  if (delivered > 0)
    await sql`
      INSERT INTO deliveries (project_id, hour, delivered) VALUES (${projectId}, ${hourOf(at)}, ${delivered})
      ON CONFLICT (project_id, hour) DO UPDATE
      SET delivered = deliveries.delivered + excluded.delivered`.execute(queries);
  return delivered + failed;
}

export const queueMethods = ({ read, write }: QueryRunner, dialect: SqlDialect) =>
  ({
    pendingScores: (request) => read((queries) => page(queries, request)),
    leaseScores: (request, lease) => write((queries) => leasePage(queries, request, lease)),
    acknowledge: (projectId, results, at) =>
      write((queries) => acknowledge(queries, projectId, results, at, dialect)),
  }) satisfies Partial<Store>;
