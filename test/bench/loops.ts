import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { benchSecretKey } from "./bench-config.ts";
import { pinned, startBuiltServer, type Ready } from "./child-server.ts";
import { cpuSeconds } from "./process-cpu.ts";

// Whole loops: a survey is asked for (mint), answered (submit), forwarded to a sink that answers at once, and acknowledged.
// The server and the program `afterword forward`, with its default settings, share one core; this process is load and sink.

/** A billion a month. */
const loopsPerSecond = 386;
const warmUpInSeconds = 5;
const seconds = Number(process.env["BENCH_SECONDS"] ?? 20);
/** Saturated: so many loops are on their way to the sink at once, so that load, server and forwarder keep one pace. */
const mostOpen = 1500;
const connections = 32;

const forwarderProgram = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));

export interface LoopFigures {
  perSecond: number;
  /** Shares of the core. */
  server: number;
  forwarder: number;
  /** From the click that submits to the sink, in milliseconds. */
  p50: number;
  p99: number;
}

/** The people who answer, and the sink that their scores arrive at. */
class World {
  // First in, first out: the server closes connections that idle.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
  readonly #clickedAt = new Map<string, number>();
  readonly #waits: number[] = [];
  readonly #sink = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => response.writeHead(204).end());
    const at = this.#clickedAt.get(id);
    // A score that arrives twice counts once.
    if (at !== undefined && this.#clickedAt.delete(id)) this.#waits.push(performance.now() - at);
  });
  #person = 0;
  #sending = 0;

  async listen(): Promise<string> {
    this.#sink.listen(0, "127.0.0.1");
    await once(this.#sink, "listening");
    const { port } = this.#sink.address() as { port: number };
    return `http://127.0.0.1:${port}/scores`;
  }

  get open(): number {
    return this.#sending + this.#clickedAt.size;
  }

  /** How long each score that has arrived since the last call took. */
  takeWaits(): number[] {
    return this.#waits.splice(0);
  }

  /** One person's part of a loop. */
  async answer({ url, projects: [project] }: Ready): Promise<void> {
    this.#sending += 1;
    const number = (this.#person += 1);
    const respondentId = `respondent-${number}-${Math.random()}`;
    const minted = (await this.#post(
      `${url}/v1/sdk/tokens`,
      { respondentId, sessionId: `session-${number}`, surveyId: "s0" },
      { "X-Service-Key": benchSecretKey },
    )) as { tokens: Record<string, string> };
    const clickedAt = performance.now();
    const key = project!.publishableKey;
    const body = { key, showToken: minted.tokens["s0"], surveyId: "s0", rating: 9 };
    const { id } = (await this.#post(`${url}/v1/sdk/responses`, body)) as { id: string };
    this.#clickedAt.set(id, clickedAt);
    this.#sending -= 1;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#sink.closeAllConnections();
    await new Promise((resolve) => this.#sink.close(resolve));
  }

  async #post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const payload = JSON.stringify(body);
    const type = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) };
    return new Promise((resolve, reject) => {
      const request = httpRequest(url, {
        method: "POST",
        agent: this.#agent,
        headers: { ...type, ...headers },
      });
      // It may close one at the moment that it is used again.
      request.on("error", (error) =>
        request.reusedSocket ? resolve(this.#post(url, body, headers)) : reject(error),
      );
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isOk = response.statusCode! < 300;
          if (isOk) resolve(JSON.parse(text));
          else reject(new Error(`POST ${url}: ${response.statusCode} ${text}`));
        });
      });
      request.end(payload);
    });
  }
}

function startForwarder(baseUrl: string, webhookUrl: string): ChildProcess {
  const [command, ...rest] = pinned([process.execPath, forwarderProgram, "forward", "--sink", "webhook"]);
  return spawn(command!, rest, {
    env: {
      ...process.env,
      AFTERWORD_SECRET_KEY: benchSecretKey,
      AFTERWORD_BASE_URL: baseUrl,
      AFTERWORD_WEBHOOK_URL: webhookUrl,
      AFTERWORD_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, "b").toString("base64")}`,
      AFTERWORD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** Answers come at their own moments, whether or not the earlier ones were stored. */
async function atRate(world: World, ready: Ready, forInSeconds: number): Promise<void> {
  const startedAt = performance.now();
  const failures: unknown[] = [];
  for (let begun = 0; begun < forInSeconds * loopsPerSecond;) {
    const due = ((performance.now() - startedAt) / 1000) * loopsPerSecond;
    for (; begun < due; begun += 1) world.answer(ready).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
    await sleep(2);
  }
}

async function asFastAsPossible(world: World, ready: Ready, forInSeconds: number): Promise<void> {
  const end = performance.now() + forInSeconds * 1000;
  const one = async () => {
    while (performance.now() < end) {
      if (world.open < mostOpen) await world.answer(ready);
      else await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Both programs warm up, and then a load is measured while it lasts. */
export async function benchLoops(
  config: string,
  database: string,
): Promise<Record<"paced" | "saturated", LoopFigures>> {
  const server = await startBuiltServer(config, database);
  const world = new World();
  const forwarder = startForwarder(server.ready.url, await world.listen());
  async function measure(load: typeof atRate): Promise<LoopFigures> {
    await load(world, server.ready, warmUpInSeconds);
    world.takeWaits();
    const cpu = () => [server.cpuSeconds(), cpuSeconds(forwarder.pid!)] as const;
    const [serverBefore, forwarderBefore] = cpu();
    const startedAt = performance.now();
    await load(world, server.ready, seconds);
    const lasted = (performance.now() - startedAt) / 1000;
    const [serverAfter, forwarderAfter] = cpu();
    const waits = world.takeWaits().toSorted((one, other) => one - other);
    const quantile = (share: number) => waits[Math.floor(waits.length * share)] ?? Number.NaN;
    return {
      perSecond: waits.length / lasted,
      server: (serverAfter - serverBefore) / lasted,
      forwarder: (forwarderAfter - forwarderBefore) / lasted,
      p50: quantile(0.5),
      p99: quantile(0.99),
    };
  }
  try {
    return { paced: await measure(atRate), saturated: await measure(asFastAsPossible) };
  } finally {
    const ended = once(forwarder, "exit");
    if (forwarder.exitCode === null && forwarder.kill("SIGTERM")) await ended;
    await world.close();
    await server.stop();
  }
}
