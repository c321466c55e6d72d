import { type Acknowledgement, hourOf, type PageRequest, type QueuedScore } from "../store.ts";
import { type Connection } from "./connection.ts";

const columns = `
  sequence, id, survey_id AS surveyId, at, session_id AS sessionId, observation_id AS observationId, rating, text,
  task_type AS taskType`;
// Named, so that a page never walks the index of all responses, which has the same order.
const pageOfPending = `
  SELECT ${columns} FROM responses INDEXED BY responses_pending
  WHERE project_id = ? AND score_state = 'pending' AND sequence > ? ORDER BY sequence LIMIT ?`;
const pageOfFailed = `
  SELECT ${columns} FROM responses INDEXED BY responses_failed
  WHERE project_id = ? AND score_state = 'failed' AND sequence > ? ORDER BY sequence LIMIT ?`;
// Delivered is final; failed again changes at most the reason; unlinked responses are never in the queue (decisions D89 to D93).
const deliver = `
  UPDATE responses SET score_state = 'delivered', failure = NULL
  WHERE id = ? AND project_id = ? AND score_state IN ('pending', 'failed')`;
const fail = `
  UPDATE responses SET score_state = 'failed', failure = ?
  WHERE id = ? AND project_id = ? AND score_state = 'pending'`;
const explain = `
  UPDATE responses SET failure = ?
  WHERE id = ? AND project_id = ? AND score_state = 'failed' AND failure IS NOT ?`;
const count = `
  INSERT INTO deliveries (project_id, hour, delivered) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET delivered = delivered + excluded.delivered`;

/** The queue of linked scores: no table of its own, but a view on the responses (decision D83). */
export function queueOf(connection: Connection) {
  const page = (text: string) => connection.prepare<[string, number, number], QueuedScore>(text);
  const [pending, failed] = [page(pageOfPending), page(pageOfFailed)];
  const [delivering, failing, explaining, counting] = [deliver, fail, explain, count].map((text) =>
    connection.prepare(text),
  );
  return {
    /** Each state has an index of its own, so a page costs the same behind a million delivered or failed rows. */
    page({ projectId, after, includeFailed, limit }: PageRequest): QueuedScore[] {
      const rows = pending.all(projectId, after, limit);
      if (!includeFailed) return rows;
      rows.push(...failed.all(projectId, after, limit));
      return rows.sort((one, other) => one.sequence - other.sequence).slice(0, limit);
    },

    /** Call inside a transaction. */
    acknowledge(projectId: string, results: ReadonlyMap<string, Acknowledgement>, at: number): number {
      let delivered = 0;
      let refused = 0;
      for (const [id, { state, reason = null }] of results) {
        if (state === "delivered") delivered += delivering!.run(id, projectId).changes;
        else if (failing!.run(reason, id, projectId).changes > 0) refused++;
        else if (reason !== null) explaining!.run(reason, id, projectId, reason);
      }
      if (delivered > 0) counting!.run(projectId, hourOf(at), delivered);
      return delivered + refused;
    },
  };
}
