import { scoreValue, type DeliverableScore } from "@afterword/node/forwarder";
import { type PendingScoresReply } from "@afterword/protocol";
import { type DevConfig } from "./dev-config.ts";
import { type DevLog } from "./dev-log.ts";

/** A request to the service with the secret key: GET, or POST with a body. */
export type AsServer = (path: string, body?: object) => Promise<Response>;

/** A forwarder whose sink is this process's memory: lists the queue, keeps each score, acknowledges it. */
export function memoryForward(call: AsServer, config: DevConfig, log: DevLog) {
  let kept: DeliverableScore[] = [];
  let running = Promise.resolve();
  const forward = async () => {
    for (;;) {
      const page = (await (await call("/v1/sdk/pending-scores")).json()) as PendingScoresReply;
      if (!page.scores?.length) return;
      const surveys = Object.fromEntries(config.project.surveys.map(({ id, type }) => [id, type]));
      const scores = await Promise.all(page.scores.map(scoreValue({ surveys })));
      kept = [...scores.toReversed(), ...kept].slice(0, 100);
      const results = scores.map(({ id }) => ({ id, state: "delivered" }));
      const reply = await call("/v1/sdk/pending-scores/ack", { results });
      if (!reply.ok) throw new Error(`acknowledging was answered with ${reply.status}`);
    }
  };
  const failed = (error: Error) => log.add("failed", `forward: ${error.message}`);
  return {
    /** The last 100, newest first. */
    scores: (): readonly object[] => kept,
    /** Empties the queue, after earlier calls have. */
    run: () => void (running = running.then(forward).catch(failed)),
  };
}
