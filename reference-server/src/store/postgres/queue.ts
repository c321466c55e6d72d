import { type Acknowledgement, hourOf, type PageRequest, type QueuedScore } from "../store.ts";
import { type Connection } from "./run-work.ts";

const columns = `
  sequence, id, survey_id AS "surveyId", at, session_id AS "sessionId", observation_id AS "observationId", rating,
  text, task_type AS "taskType"`;

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

/**
 * Delivered is final; failed again is no change; unlinked responses are never in the queue (decisions D89 to D93).
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
    counted AS (
      INSERT INTO deliveries (project_id, hour, delivered)
      SELECT $1, $5, count(*) FROM updated WHERE score_state = 'delivered' HAVING count(*) > 0
      ON CONFLICT (project_id, hour) DO UPDATE SET delivered = deliveries.delivered + excluded.delivered
    )
    SELECT count(*) FILTER (WHERE score_state <> before) AS changed FROM updated`,
};

/** A page of the queue, which is no table of its own but a view on the responses (decision D83). */
export async function readPage(connection: Connection, page: PageRequest): Promise<QueuedScore[]> {
  const values = [page.projectId, page.after, page.limit];
  const { rows } = await connection.query<QueuedScore>({
    ...(page.includeFailed ? pageOfBoth : pageOfPending),
    values,
  });
  return rows;
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
