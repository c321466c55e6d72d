import { scoreValue, type DeliverableScore } from "@afterword/node/forwarder";
import { type PendingScoresReply } from "@afterword/protocol";
import { type DevConfig } from "./dev-config.ts";
import { type DevLog } from "./dev-log.ts";

const most = 100;

/** A request to the service with the secret key: GET, or POST with a body. */
export type AsServer = (path: string, body?: object) => Promise<Response>;

/** A forwarder whose sink is this process's memory: lists the queue, keeps each score, acknowledges it. */
export class MemoryForward {
  readonly #call: AsServer;
  readonly #config: DevConfig;
  readonly #log: DevLog;
  #scores: DeliverableScore[] = [];
  #running = Promise.resolve();

  constructor(call: AsServer, config: DevConfig, log: DevLog) {
    this.#call = call;
    this.#config = config;
    this.#log = log;
  }

  /** The last 100, newest first. */
  get scores(): readonly object[] {
    return this.#scores;
  }

  /** Empties the queue, after earlier calls have. Never rejects. */
  run(): Promise<void> {
    return (this.#running = this.#running
      .then(() => this.#forward())
      .catch((error: Error) => this.#log.add("failed", `forward: ${error.message}`)));
  }

  async #forward(): Promise<void> {
    for (;;) {
      const page = (await (await this.#call("/v1/sdk/pending-scores")).json()) as PendingScoresReply;
      if (!page.scores?.length) return;
      const surveys = Object.fromEntries(this.#config.project.surveys.map(({ id, type }) => [id, type]));
      const scores = await Promise.all(page.scores.map(scoreValue({ surveys })));
      this.#scores = [...scores.toReversed(), ...this.#scores].slice(0, most);
      const results = scores.map(({ id }) => ({ id, state: "delivered" }));
      const reply = await this.#call("/v1/sdk/pending-scores/ack", { results });
      if (!reply.ok) throw new Error(`acknowledging was answered with ${reply.status}`);
    }
  }
}
