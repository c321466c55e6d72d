import {
  type Acknowledgement,
  heldBy,
  hourOf,
  type Lease,
  type PageRequest,
  type QueuedScore,
  queuePage,
  type ScorePage,
  type Store,
} from "@afterword/reference-server/internal";
import { execute, type Connection } from "./connection.ts";
import { type ConnectionPool } from "./connection-pool.ts";

const parameters = { projectId: "$1", after: "$2", limit: "$3" };

const heldScores = (includeFailed: boolean) => `
  SELECT count(*) AS count, max(until) AS until FROM leases JOIN responses USING (sequence)
  WHERE leases.project_id = $1 AND score_state IN (${includeFailed ? "'pending', 'failed'" : "'pending'"})
    AND ${heldBy("$2", "$3::bigint")}`;

// In the order of the page, so that two consumers cannot lock each other out. What another one has leased since the page was
// listed is not free any more.
const keep = `
  INSERT INTO leases (project_id, consumer, until, sequence) SELECT $1, $2, $4::bigint, unnest($5::bigint[])
  ON CONFLICT (sequence) DO UPDATE SET consumer = excluded.consumer, until = excluded.until
  WHERE NOT (${heldBy("$2", "$3::bigint")})
  RETURNING sequence`;

const giveBack = "DELETE FROM leases WHERE project_id = $1 AND consumer = $2";

// In one order, so that two forwarders that acknowledge the same page cannot lock each other out.
const lockScores = `
  SELECT sequence FROM responses WHERE project_id = $1 AND id = ANY ($2) ORDER BY sequence FOR NO KEY UPDATE`;
const deliver = `
  UPDATE responses SET score_state = 'delivered', failure = NULL
  WHERE project_id = $1 AND id = ANY ($2) AND score_state IN ('pending', 'failed')`;
const failAgain = `
  UPDATE responses SET failure = given.reason FROM unnest($2::text[], $3::text[]) AS given(id, reason)
  WHERE project_id = $1 AND responses.id = given.id AND score_state = 'failed' AND given.reason IS NOT NULL`;
const fail = `
  UPDATE responses SET score_state = 'failed', failure = given.reason
  FROM unnest($2::text[], $3::text[]) AS given(id, reason)
  WHERE project_id = $1 AND responses.id = given.id AND score_state = 'pending'`;
const countDelivered = `
  INSERT INTO deliveries (project_id, hour, delivered) VALUES ($1, $2, $3)
  ON CONFLICT (project_id, hour) DO UPDATE SET delivered = deliveries.delivered + excluded.delivered`;

async function pendingScores(
  connection: Connection,
  { projectId, after, includeFailed, limit }: PageRequest,
  lease?: Lease,
): Promise<ScorePage> {
  const { consumer, now, until } = lease ?? {};
  if (lease && until === undefined) await execute(connection, giveBack, [projectId, consumer]);
  const statement = queuePage(parameters, includeFailed, lease && heldBy("$4", "$5::bigint"));
  const asked = [projectId, after, limit + 1, ...(lease ? [consumer, now] : [])];
  const { rows } = await execute<QueuedScore>(connection, statement, asked);
  const listed = rows.slice(0, limit);
  let scores = listed;
  if (until !== undefined && listed.length > 0) {
    const sequences = listed.map(({ sequence }) => sequence);
    const own = [projectId, consumer, now, until, sequences];
    const kept = (await execute<{ sequence: number }>(connection, keep, own)).rows;
    const keptSequences = new Set(kept.map(({ sequence }) => sequence));
    scores = listed.filter(({ sequence }) => keptSequences.has(sequence));
  }
  const continuesAfter = rows.length > limit ? listed.at(-1)?.sequence : undefined;
  if (!lease) return { scores, continuesAfter };
  const held = [projectId, consumer, now];
  const leased = await execute<Required<ScorePage>["leased"]>(connection, heldScores(includeFailed), held);
  return { scores, continuesAfter, leased: leased.rows[0] };
}

/** Delivered is final; failed again changes at most the reason; unlinked responses are never in the queue. */
async function acknowledge(
  connection: Connection,
  projectId: string,
  results: ReadonlyMap<string, Acknowledgement>,
  at: number,
): Promise<number> {
  const found = await execute<{ sequence: number }>(connection, lockScores, [projectId, [...results.keys()]]);
  const idsOf = (state: Acknowledgement["state"]) =>
    [...results].filter(([, result]) => result.state === state).map(([id]) => id);
  const failed = idsOf("failed");
  const deliveries = await execute(connection, deliver, [projectId, idsOf("delivered")]);
  const failures = [projectId, failed, failed.map((id) => results.get(id)!.reason ?? null)];
  let failedRows = 0;
  if (failed.length > 0) {
    await execute(connection, failAgain, failures);
    failedRows = (await execute(connection, fail, failures)).rowCount!;
  }
  const sequences = found.rows.map(({ sequence }) => sequence);
  await execute(connection, "DELETE FROM leases WHERE sequence = ANY ($1)", [sequences]);
  if (deliveries.rowCount! > 0)
    await execute(connection, countDelivered, [projectId, hourOf(at), deliveries.rowCount]);
  return deliveries.rowCount! + failedRows;
}

export const queueMethods = (pool: ConnectionPool) =>
  ({
    pendingScores: (page, lease) => {
      const work = (connection: Connection) => pendingScores(connection, page, lease);
      return lease ? pool.transaction(work) : pool.repeatable(work);
    },
    acknowledge: (...results) => pool.transaction((connection) => acknowledge(connection, ...results)),
  }) satisfies Partial<Store>;
