import {
  type Acknowledgement,
  hourOf,
  type Lease,
  type PageRequest,
  type QueuedScore,
  type ScorePage,
  type Store,
} from "../store.ts";
import { heldBy, queuePage } from "../shared-rows.ts";
import { type Access, type Connection } from "./connection.ts";

const parameters = { projectId: "@projectId", after: "@after", limit: "@limit" };
const isHeld = heldBy("@consumer", "@now");

/** The statements of a page. A CROSS JOIN begins with the leases, of which there are few. */
const pageStatements = (connection: Connection, includeFailed: boolean) => ({
  all: connection.prepare<PageRequest, QueuedScore>(queuePage(parameters, includeFailed)),
  free: connection.prepare<PageRequest & Lease, QueuedScore>(queuePage(parameters, includeFailed, isHeld)),
  held: connection.prepare<PageRequest & Lease, ScorePage["leased"]>(`
    SELECT count(*) AS count, max(until) AS until FROM leases CROSS JOIN responses USING (sequence)
    WHERE leases.project_id = @projectId AND score_state IN (${includeFailed ? "'pending', 'failed'" : "'pending'"})
      AND ${isHeld}`),
});

export function queueMethods({ connection, read, write }: Access) {
  const pending = pageStatements(connection, false);
  const withFailed = pageStatements(connection, true);
  const statements = {
    giveBack: connection.prepare("DELETE FROM leases WHERE project_id = @projectId AND consumer = @consumer"),
    // Listing and leasing are one transaction, so no other consumer can lease in between.
    keep: connection.prepare(`
      INSERT INTO leases (sequence, project_id, consumer, until) VALUES (@sequence, @projectId, @consumer, @until)
      ON CONFLICT DO UPDATE SET consumer = excluded.consumer, until = excluded.until`),
    deliver: connection.prepare(`
      UPDATE responses SET score_state = 'delivered', failure = NULL
      WHERE project_id = ? AND id = ? AND score_state IN ('pending', 'failed')`),
    fail: connection.prepare(`
      UPDATE responses SET score_state = 'failed', failure = ?
      WHERE project_id = ? AND id = ? AND score_state = 'pending'`),
    failAgain: connection.prepare(`
      UPDATE responses SET failure = ? WHERE project_id = ? AND id = ? AND score_state = 'failed'`),
    release: connection.prepare(`
      DELETE FROM leases WHERE sequence = (SELECT sequence FROM responses WHERE project_id = ? AND id = ?)`),
    countDelivered: connection.prepare(`
      INSERT INTO deliveries (project_id, hour, delivered) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET delivered = delivered + excluded.delivered`),
  };

  function list(request: PageRequest, lease?: Lease): ScorePage {
    const { projectId, limit } = request;
    const { all, free, held } = request.includeFailed ? withFailed : pending;
    if (lease && lease.until === undefined) statements.giveBack.run({ projectId, consumer: lease.consumer });
    // One row more than asked for shows whether anything follows.
    const asked = { ...request, limit: limit + 1 };
    const rows = lease ? free.all({ ...asked, ...lease }) : all.all(asked);
    const scores = rows.slice(0, limit);
    if (lease?.until !== undefined)
      for (const { sequence } of scores) statements.keep.run({ ...lease, projectId, sequence });
    return {
      scores,
      continuesAfter: rows.length > limit ? scores.at(-1)?.sequence : undefined,
      leased: lease && held.get({ ...request, ...lease }),
    };
  }

  /** Delivered is final; failed again changes at most the reason; unlinked responses are never in the queue. */
  function acknowledge(projectId: string, results: ReadonlyMap<string, Acknowledgement>, at: number): number {
    let [delivered, failed] = [0, 0];
    for (const [id, { state, reason }] of results) {
      if (state === "delivered") delivered += statements.deliver.run(projectId, id).changes;
      else {
        if (reason !== undefined) statements.failAgain.run(reason, projectId, id);
        failed += statements.fail.run(reason ?? null, projectId, id).changes;
      }
      statements.release.run(projectId, id);
    }
    if (delivered > 0) statements.countDelivered.run(projectId, hourOf(at), delivered);
    return delivered + failed;
  }

  return {
    pendingScores: (page, lease) => (lease ? write : read)(() => list(page, lease)),
    acknowledge: (...results) => write(() => acknowledge(...results)),
  } satisfies Partial<Store>;
}
