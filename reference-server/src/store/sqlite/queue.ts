import {
  type Acknowledgement,
  hourOf,
  type Lease,
  type LeasedPage,
  type PageRequest,
  type QueuedScore,
} from "../store.ts";
import { type Connection } from "./connection.ts";

// Prepared once: forwarders list and acknowledge all the time.

const columns = `
  sequence, id, survey_id AS surveyId, at, session_id AS sessionId, observation_id AS observationId, rating, text,
  task_type AS taskType, run`;
// Named, so that a page never walks the index of all responses, which has the same order.
const pageOf = (state: "pending" | "failed", condition = "") => `
  SELECT ${columns} FROM responses INDEXED BY responses_${state}
  WHERE project_id = ? AND score_state = '${state}' AND sequence > ? ${condition} ORDER BY sequence LIMIT ?`;
const isFree = `
  AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.sequence = responses.sequence AND consumer <> ? AND until > ?)`;
const keep = `
  INSERT INTO leases (sequence, project_id, consumer, until) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET consumer = excluded.consumer, until = excluded.until`;
const giveBack = "DELETE FROM leases WHERE project_id = ? AND consumer = ?";
const endLease = `
  DELETE FROM leases WHERE sequence = (SELECT sequence FROM responses WHERE id = ? AND project_id = ?)`;
// Delivered is final; failed again changes at most the reason; unlinked responses are never in the queue.
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

/** The queue of linked scores: no table of its own, but a view on the responses. */
export function queueOf(connection: Connection) {
  /** Each state has an index of its own, so a page costs the same behind a million delivered or failed rows. */
  const pages = (condition?: string) => {
    const [pending, failed] = (["pending", "failed"] as const).map((state) =>
      connection.prepare<unknown[], QueuedScore>(pageOf(state, condition)),
    );
    return ({ projectId, after, includeFailed, limit }: PageRequest, ...free: unknown[]): QueuedScore[] => {
      const rows = pending!.all(projectId, after, ...free, limit);
      if (!includeFailed) return rows;
      rows.push(...failed!.all(projectId, after, ...free, limit));
      return rows.sort((one, other) => one.sequence - other.sequence).slice(0, limit);
    };
  };
  const freePage = pages(isFree);
  const [keeping, givingBack, ending] = [keep, giveBack, endLease].map((text) => connection.prepare(text));
  const [delivering, failing, explaining, counting] = [deliver, fail, explain, count].map((text) =>
    connection.prepare(text),
  );
  return {
    page: pages(),

    /** Call inside a transaction. */
    lease(request: PageRequest, { consumer, now, until }: Lease): LeasedPage {
      const { projectId, limit } = request;
      if (until === undefined) givingBack!.run(projectId, consumer);
      const rows = freePage({ ...request, limit: limit + 1 }, consumer, now);
      const scores = rows.slice(0, limit);
      if (until !== undefined)
        for (const { sequence } of scores) keeping!.run(sequence, projectId, consumer, until);
      return { scores, continuesAfter: rows.length > limit ? scores.at(-1)?.sequence : undefined };
    },

    /** Call inside a transaction. */
    acknowledge(projectId: string, results: ReadonlyMap<string, Acknowledgement>, at: number): number {
      let delivered = 0;
      let refused = 0;
      for (const [id, { state, reason = null }] of results) {
        if (state === "delivered") delivered += delivering!.run(id, projectId).changes;
        else if (failing!.run(reason, id, projectId).changes > 0) refused++;
        else if (reason !== null) explaining!.run(reason, id, projectId, reason);
        ending!.run(id, projectId);
      }
      if (delivered > 0) counting!.run(projectId, hourOf(at), delivered);
      return delivered + refused;
    },
  };
}
