import { countedQueueDepth, type QueueFacts } from "../store.ts";
import { type Connection } from "./connection.ts";

/** Both read an index of their own and stop at the limit, so a long queue costs no more than that. */
const depthOf = (state: "pending" | "failed") => `
  SELECT count(*) FROM (SELECT 1 FROM responses WHERE project_id = ? AND score_state = '${state}' LIMIT ?)`;
const oldestPendingOf = `
  SELECT at FROM responses WHERE project_id = ? AND score_state = 'pending' ORDER BY sequence LIMIT 1`;

export class QueueFactsReader {
  readonly #projects;
  readonly #pending;
  readonly #failed;
  readonly #oldest;

  constructor(connection: Connection) {
    this.#projects = connection.prepare<[], string>("SELECT id FROM projects ORDER BY id").pluck();
    this.#pending = connection.prepare<[string, number], number>(depthOf("pending")).pluck();
    this.#failed = connection.prepare<[string, number], number>(depthOf("failed")).pluck();
    this.#oldest = connection.prepare<[string], number>(oldestPendingOf).pluck();
  }

  read(): QueueFacts[] {
    return this.#projects.all().map((projectId) => ({
      projectId,
      pending: this.#pending.get(projectId, countedQueueDepth) ?? 0,
      failed: this.#failed.get(projectId, countedQueueDepth) ?? 0,
      oldestPendingAt: this.#oldest.get(projectId),
    }));
  }
}
