import { Afterword } from "@afterword/node";
import { startServer, type RunningServer } from "@afterword/server";

const survey = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How well did the agent do this task?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
} as const;

/** A real service for the forwarder's program, and people who rate. */
export class ForwarderWorld implements AsyncDisposable {
  readonly #service: RunningServer;
  readonly client: Afterword;
  #people = 0;

  private constructor(service: RunningServer) {
    this.#service = service;
    this.client = new Afterword(this.connection);
  }

  static async start(): Promise<ForwarderWorld> {
    const service = await startServer({
      config: {
        projects: [{ id: "p", name: "P", allowedOrigins: [], surveys: [survey] }],
        rateLimits: false,
      },
    });
    return new ForwarderWorld(service);
  }

  /** What a client of the service needs. */
  get connection(): { secretKey: string; baseUrl: string } {
    return { secretKey: this.#service.projects[0]!.secretKey!, baseUrl: this.#service.url };
  }

  /** Mints and rates so many times; gives the ids of the responses. */
  async rate(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.#rateOnce()));
  }

  async #rateOnce(): Promise<string> {
    this.#people += 1;
    const person = this.#people;
    const session = { respondentId: `respondent-${person}`, sessionId: `session-${person}` };
    const { tokens } = await this.client.mint(session);
    const body = {
      key: this.#service.projects[0]!.publishableKey,
      showToken: tokens["csat"],
      surveyId: "csat",
      rating: 1 + (person % 5),
    };
    const headers = { "content-type": "application/json" };
    const url = `${this.#service.url}/v1/sdk/responses`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await response.json()) as { id: string }).id;
  }

  /** Ids that still wait in the queue, also those that were acknowledged as failed. */
  async waiting(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of this.client.pendingScores({ includeFailed: true })) ids.push(id);
    return ids;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service.close();
  }
}
