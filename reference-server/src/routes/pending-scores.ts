import { acknowledgeScores, listPendingScores } from "../domain/score-queue.ts";
import { type Handler } from "../http/handlers.ts";

export const pendingScores: Handler<"GET /v1/sdk/pending-scores"> = ({ service, project, query }) =>
  listPendingScores(service, project, query);

export const acknowledge: Handler<"POST /v1/sdk/pending-scores/ack"> = async ({
  service,
  project,
  body,
}) => ({
  ok: true,
  updated: await acknowledgeScores(service, project, body.results),
});
