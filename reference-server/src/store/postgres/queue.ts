import {
  type Acknowledgement,
  hourOf,
  type Lease,
  type LeasedPage,
  type PageRequest,
  type QueuedScore,
} from "../store.ts";
import { type Connection } from "./connection.ts";

// Prepared once per connection: forwarders list and acknowledge all the time.

const columns = `
  sequence, id, survey_id AS "surveyId", at, session_id AS "sessionId", observation_id AS "observationId", rating,
  text, task_type AS "taskType", run`;

const pageOfPending = {
  name: "pending-scores",
  text: `
    SELECT ${columns} FROM responses
    WHERE project_id = $1 AND score_state = 'pending' AND sequence > $2 ORDER BY sequence LIMIT $3`,
};
/** Each state has an index of its own, so a page costs the same behind a million delivered or failed rows. */
const pageOfBoth = {
  name: "pending-and-failed-scores",
  text: `
    (${pageOfPending.text}) UNION ALL (
    SELECT ${columns} FROM responses
    WHERE project_id = $1 AND score_state = 'failed' AND sequence > $2 ORDER BY sequence LIMIT $3)
    ORDER BY sequence LIMIT $3`,
};

const freeIn = (state: "pending" | "failed") => `
  SELECT sequence FROM responses
  WHERE project_id = $1 AND score_state = '${state}' AND sequence > $2 AND NOT EXISTS (
    SELECT FROM leases WHERE leases.sequence = responses.sequence AND consumer <> $4 AND until > $5
  ) ORDER BY sequence LIMIT $3 + 1`;
/**
 * What another consumer has leased since the statement began is not free any more: the condition of the update sees the
 * newest row. Leases are written in one order, so that two consumers cannot lock each other out.
 */
const leasing = (free: string) => `
  WITH free AS MATERIALIZED (${free}),
  kept AS (
    INSERT INTO leases (sequence, project_id, consumer, until)
    SELECT sequence, $1, $4, $6 FROM free ORDER BY sequence LIMIT $3
    ON CONFLICT (sequence) DO UPDATE SET consumer = excluded.consumer, until = excluded.until
    WHERE leases.consumer = excluded.consumer OR leases.until <= $5
    RETURNING sequence
  )
  SELECT ${columns}, kept.sequence IS NOT NULL AS "isKept"
  FROM free JOIN responses USING (sequence) LEFT JOIN kept USING (sequence) ORDER BY sequence`;
const leasePending = { name: "lease-pending-scores", text: leasing(freeIn("pending")) };
const leaseBoth = {
  name: "lease-pending-and-failed-scores",
  text: leasing(`(${freeIn("pending")}) UNION ALL (${freeIn("failed")}) ORDER BY sequence LIMIT $3 + 1`),
};
const giveBack = "DELETE FROM leases WHERE project_id = $1 AND consumer = $2";

/**
 * Delivered is final; failed again is no change; unlinked responses are never in the queue.
 * Rows are locked in one order, so that two forwarders that acknowledge the same page cannot lock each other out.
 */
const acknowledge = {
  name: "acknowledge",
  text: `
    WITH locked AS MATERIALIZED (
      SELECT sequence, id, score_state FROM responses WHERE project_id = $1 AND id = ANY ($2::text[]) ORDER BY sequence
      FOR NO KEY UPDATE
    ),
    updated AS (
      UPDATE responses SET score_state = result.state, failure = result.failure
      FROM locked JOIN unnest($2::text[], $3::text[], $4::text[]) AS result (id, state, failure)
        ON result.id = locked.id
      WHERE responses.sequence = locked.sequence AND (
        responses.score_state = 'pending' OR (
          responses.score_state = 'failed' AND (result.state = 'delivered' OR result.failure <> coalesce(responses.failure, ''))))
      RETURNING responses.score_state, locked.score_state AS before
    ),
    leased AS MATERIALIZED (
      SELECT sequence FROM leases WHERE sequence IN (SELECT sequence FROM locked) ORDER BY sequence FOR UPDATE
    ),
    ended AS (DELETE FROM leases USING leased WHERE leases.sequence = leased.sequence),
    counted AS (
      INSERT INTO deliveries (project_id, hour, delivered)
      SELECT $1, $5, count(*) FROM updated WHERE score_state = 'delivered' HAVING count(*) > 0
      ON CONFLICT (project_id, hour) DO UPDATE SET delivered = deliveries.delivered + excluded.delivered
    )
    SELECT count(*) FILTER (WHERE score_state <> before) AS changed FROM updated`,
};

/** A page of the queue, which is no table of its own but a view on the responses. */
export async function readPage(connection: Connection, page: PageRequest): Promise<QueuedScore[]> {
  const values = [page.projectId, page.after, page.limit];
  const { rows } = await connection.query<QueuedScore>({
    ...(page.includeFailed ? pageOfBoth : pageOfPending),
    values,
  });
  return rows;
}

type FreeScore = QueuedScore & { isKept: boolean };

/** Call inside a transaction. */
export async function leasePage(
  connection: Connection,
  page: PageRequest,
  { consumer, now, until }: Lease,
): Promise<LeasedPage> {
  const { projectId, after, limit } = page;
  if (until === undefined) await connection.query(giveBack, [projectId, consumer]);
  // A lease that has ended before it began keeps nothing from anyone.
  const values = [projectId, after, limit, consumer, now, until ?? now];
  const { rows } = await connection.query<FreeScore>({
    ...(page.includeFailed ? leaseBoth : leasePending),
    values,
  });
  const listed = rows.slice(0, limit);
  return {
    scores: listed.filter(({ isKept }) => isKept).map(({ isKept: _, ...score }) => score),
    continuesAfter: rows.length > limit ? listed.at(-1)?.sequence : undefined,
  };
}

export async function acknowledgeScores(
  connection: Connection,
  projectId: string,
  results: ReadonlyMap<string, Acknowledgement>,
  at: number,
): Promise<number> {
  // PostgreSQL refuses U+0000 in a text, so no row has such an id.
  const known = [...results].filter(([id]) => !id.includes("\0"));
  const ids = known.map(([id]) => id);
  const states = known.map(([, { state }]) => state);
  const reasons = known.map(([, { state, reason }]) =>
    state === "failed" ? reason?.replaceAll("\0", "\ufffd") : undefined,
  );
  const values = [projectId, ids, states, reasons, hourOf(at)];
  const { rows } = await connection.query<{ changed: number }>({ ...acknowledge, values });
  return rows[0]!.changed;
}
