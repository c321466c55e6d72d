import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Afterword } from "@afterword/node";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { bundleOnce } from "./bundle-once.ts";
import type { ForwarderOrder } from "./forwarder-program.ts";

const program = fileURLToPath(new URL("./forwarder-program.ts", import.meta.url));

/** All forwarders of a run are of one version. */
let bundle: Promise<string> | undefined;

const survey = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How well did the agent do this task?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
} as const;

/** A real service, a sink that keeps scores by id, and forwarders that are processes of their own. */
export class ForwarderWorld implements AsyncDisposable {
  readonly #service: RunningServer;
  readonly #sink: Server;
  readonly #program: string;
  readonly client: Afterword;
  /** What the sink holds: one entry per id, whatever was pushed. */
  readonly stored = new Map<string, unknown>();
  /** Every push, also the repeated ones. */
  readonly pushes: string[] = [];
  /** Called at each push, before it is answered. */
  onPush: () => void = () => undefined;
  #people = 0;

  private constructor(service: RunningServer, sink: Server, program: string) {
    this.#service = service;
    this.#sink = sink;
    this.#program = program;
    this.client = new Afterword(this.connection);
  }

  static async start(): Promise<ForwarderWorld> {
    bundle ??= bundleOnce(program, "packages/node");
    const service = await startServer({
      config: {
        projects: [{ id: "p", name: "P", allowedOrigins: [], surveys: [survey] }],
        rateLimits: false,
      },
    });
    const sink = createServer();
    await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
    const world = new ForwarderWorld(service, sink, await bundle);
    sink.on("request", (request, response) => void world.#take(request.url!.slice(1), request, response));
    return world;
  }

  /** What a client of the service needs. */
  get connection(): { secretKey: string; baseUrl: string } {
    return { secretKey: this.#service.projects[0]!.secretKey!, baseUrl: this.#service.url };
  }

  async #take(
    id: string,
    request: AsyncIterable<Uint8Array>,
    response: { writeHead(status: number): { end(): void } },
  ) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    this.pushes.push(id);
    this.stored.set(id, JSON.parse(Buffer.concat(chunks).toString()));
    this.onPush();
    response.writeHead(204).end();
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

  /** Runs a forwarder until it ends; `kill` ends it without a word. It takes no leases, which would outlive it. */
  forward(crash?: ForwarderOrder["crash"]) {
    return this.#fork({ mode: "once", crash });
  }

  /** Runs a forwarder until it is asked to stop. It takes leases. */
  work() {
    return this.#fork({ mode: "work" });
  }

  #fork(what: Pick<ForwarderOrder, "mode" | "crash">) {
    const { port } = this.#sink.address() as AddressInfo;
    const order: ForwarderOrder = {
      ...this.connection,
      sinkUrl: `http://127.0.0.1:${port}`,
      ...what,
    };
    const child = fork(this.#program, [JSON.stringify(order)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = new Promise<"drained" | "killed">((resolve, reject) => {
      child.once("exit", (code, signal) => {
        if (signal === "SIGKILL") resolve("killed");
        else if (code === 0) resolve("drained");
        else reject(new Error(`The forwarder ended with ${code}.`));
      });
    });
    const ready = once(child, "message");
    return {
      ended,
      kill: () => child.kill("SIGKILL"),
      stop: () => void ready.then(() => child.kill("SIGTERM")),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sink.closeAllConnections();
    this.#sink.close();
    await this.#service.close();
  }
}
